import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    HfArgumentParser,
    Trainer,
    TrainerCallback,
    TrainingArguments,
    set_seed,
)


@dataclass
class DataArgs:
    dataset: str = field(default="imdb")
    val_share: float = field(default=0.05)
    max_length: int = field(default=384)


class History(TrainerCallback):
    def __init__(self, path):
        self.path = Path(path)

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        if not state.is_world_process_zero:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as handle:
            handle.write(json.dumps({"step": state.global_step, **(metrics or {})}) + "\n")


def compute_metrics(prediction):
    guess = np.argmax(prediction.predictions, axis=-1)
    return {"accuracy": float((guess == prediction.label_ids).mean())}


def main():
    data_args, args = HfArgumentParser((DataArgs, TrainingArguments)).parse_args_into_dataclasses()
    set_seed(args.seed)
    tokenizer = AutoTokenizer.from_pretrained("roberta-base")

    def encode(rows):
        return tokenizer(rows["text"], truncation=True, max_length=data_args.max_length)

    with args.main_process_first(local=False, desc="tokenising"):
        rows = load_dataset(data_args.dataset, split="train").map(encode, batched=True, remove_columns=["text"])
    parts = rows.train_test_split(test_size=data_args.val_share, seed=args.data_seed or 0)
    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=2)
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=compute_metrics,
        callbacks=[EarlyStoppingCallback(early_stopping_patience=3), History(f"{args.output_dir}/history.jsonl")],
    )
    result = trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    trainer.save_model()
    trainer.log_metrics("train", result.metrics)
    trainer.save_metrics("train", result.metrics)


if __name__ == "__main__":
    main()
