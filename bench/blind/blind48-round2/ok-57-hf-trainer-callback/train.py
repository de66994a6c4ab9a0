import json
from pathlib import Path

from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

MODEL = "distilbert-base-uncased"


class KeepHistory(TrainerCallback):
    def __init__(self, path):
        self.path = Path(path)

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if state.is_world_process_zero:
            with self.path.open("a") as f:
                f.write(json.dumps({"step": state.global_step, **(metrics or {})}) + "\n")


def main():
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=16,
        num_train_epochs=2,
        eval_strategy="epoch",
        save_strategy="epoch",
        load_best_model_at_end=True,
        fsdp="full_shard auto_wrap",
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    with args.main_process_first(desc="tokenise"):
        data = load_dataset("imdb")
        data = data.map(lambda b: tokenizer(b["text"], truncation=True, max_length=256), batched=True)
    trainer = Trainer(
        model=AutoModelForSequenceClassification.from_pretrained(MODEL),
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        callbacks=[KeepHistory("history.jsonl")],
    )
    trainer.train()
    trainer.save_model("final")


if __name__ == "__main__":
    main()
