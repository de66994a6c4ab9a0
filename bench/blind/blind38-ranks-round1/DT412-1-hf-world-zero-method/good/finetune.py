import json
from pathlib import Path

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

MODEL = "bert-base-cased"
TAGS = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC", "B-MISC", "I-MISC"]


def align(rows, tokenizer):
    out = tokenizer(rows["tokens"], truncation=True, is_split_into_words=True, max_length=128)
    labels = []
    for i, tags in enumerate(rows["ner_tags"]):
        words, seen, row = out.word_ids(i), None, []
        for word in words:
            row.append(-100 if word is None or word == seen else tags[word])
            seen = word
        labels.append(row)
    out["labels"] = labels
    return out


def token_accuracy(prediction):
    guess = prediction.predictions.argmax(-1)
    mask = prediction.label_ids != -100
    return {"accuracy": float((guess == prediction.label_ids)[mask].mean()), "tokens": int(np.sum(mask))}


def report(trainer, metrics, folder):
    if trainer.is_world_process_zero():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "summary.json").write_text(json.dumps(metrics, indent=2))


def main():
    set_seed(23)
    args = TrainingArguments(
        output_dir="ner",
        per_device_train_batch_size=16,
        num_train_epochs=3,
        eval_strategy="epoch",
        save_strategy="epoch",
        learning_rate=3e-5,
        dataloader_drop_last=True,
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    with args.main_process_first(desc="align"):
        data = load_dataset("conll2003").map(lambda rows: align(rows, tokenizer), batched=True)
    trainer = Trainer(
        model=AutoModelForTokenClassification.from_pretrained(MODEL, num_labels=len(TAGS)),
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["validation"],
        data_collator=DataCollatorForTokenClassification(tokenizer),
        compute_metrics=token_accuracy,
    )
    trainer.train()
    metrics = trainer.evaluate(data["test"], metric_key_prefix="test")
    report(trainer, metrics, Path(args.output_dir) / "report")


if __name__ == "__main__":
    main()
