from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class DataArguments:
    dataset: str = field(default="conll2003")
    model: str = field(default="bert-base-cased")
    max_length: int = field(default=128)


def aligned(tokenizer, max_length):
    def encode(batch):
        out = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True, max_length=max_length)
        out["labels"] = [
            [-100 if w is None else tags[w] for w in out.word_ids(i)] for i, tags in enumerate(batch["ner_tags"])
        ]
        return out

    return encode


def load_split(data_args, args, tokenizer, split):
    ds = load_dataset(data_args.dataset, split=split)
    if split == "train":
        ds = ds.shard(num_shards=args.world_size, index=args.process_index)
    with args.main_process_first(desc=f"tokenising {split}"):
        return ds.map(aligned(tokenizer, data_args.max_length), batched=True, remove_columns=ds.column_names)


def main():
    data_args, args = HfArgumentParser((DataArguments, TrainingArguments)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(data_args.model)
    train = load_split(data_args, args, tokenizer, "train")
    valid = load_split(data_args, args, tokenizer, "validation")
    trainer = Trainer(
        model=AutoModelForTokenClassification.from_pretrained(data_args.model, num_labels=9),
        args=args,
        train_dataset=train,
        eval_dataset=valid,
        data_collator=DataCollatorForTokenClassification(tokenizer),
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
