import json
from dataclasses import dataclass, field
from pathlib import Path

from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class DataArguments:
    model_name: str = field(default="distilbert-base-uncased")
    dataset: str = field(default="imdb")
    max_length: int = field(default=256)


def tokenised(name, tokenizer, args, data_args):
    with args.main_process_first(desc="tokenising"):
        raw = load_dataset(name)
        return raw.map(
            lambda rows: tokenizer(rows["text"], truncation=True, max_length=data_args.max_length),
            batched=True,
            remove_columns=["text"],
        )


def main():
    data_args, args = HfArgumentParser((DataArguments, TrainingArguments)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(data_args.model_name)
    data = tokenised(data_args.dataset, tokenizer, args, data_args)
    model = AutoModelForSequenceClassification.from_pretrained(data_args.model_name, num_labels=2)
    trainer = Trainer(
        model=model,
        args=args,
        train_dataset=data["train"],
        eval_dataset=data["test"],
        data_collator=DataCollatorWithPadding(tokenizer),
        processing_class=tokenizer,
    )
    trainer.train(resume_from_checkpoint=args.resume_from_checkpoint)
    metrics = trainer.evaluate()
    trainer.save_model()
    if trainer.is_world_process_zero:
        card = {"base": data_args.model_name, "data": data_args.dataset, "metrics": metrics}
        Path(args.output_dir, "card.json").write_text(json.dumps(card, indent=1))


if __name__ == "__main__":
    main()
