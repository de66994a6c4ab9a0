from dataclasses import dataclass, field

import torch
from datasets import load_dataset
from torch.utils.data import DataLoader, WeightedRandomSampler
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class Extra:
    model: str = field(default="bert-base-uncased")
    smooth: float = field(default=0.5)


class BalancedTrainer(Trainer):
    def __init__(self, *args, smooth=0.5, **kwargs):
        super().__init__(*args, **kwargs)
        self.smooth = smooth

    def weights(self):
        labels = torch.tensor(self.train_dataset["label"])
        counts = torch.bincount(labels).double()
        return counts.pow(-self.smooth)[labels]

    def get_train_dataloader(self):
        generator = torch.Generator().manual_seed(self.args.seed)
        sampler = WeightedRandomSampler(self.weights(), len(self.train_dataset), generator=generator)
        loader = DataLoader(
            self.train_dataset,
            batch_size=self.args.per_device_train_batch_size,
            sampler=sampler,
            collate_fn=self.data_collator,
            num_workers=self.args.dataloader_num_workers,
            drop_last=True,
        )
        return self.accelerator.prepare(loader)


def main():
    extra, args = HfArgumentParser((Extra, TrainingArguments)).parse_args_into_dataclasses()
    tokenizer = AutoTokenizer.from_pretrained(extra.model)

    def encode(rows):
        return tokenizer(rows["text"], truncation=True, max_length=256)

    with args.main_process_first():
        rows = load_dataset("tweet_eval", "irony").map(encode, batched=True, remove_columns=["text"])
    trainer = BalancedTrainer(
        model=AutoModelForSequenceClassification.from_pretrained(extra.model, num_labels=2),
        args=args,
        train_dataset=rows["train"],
        eval_dataset=rows["validation"],
        data_collator=DataCollatorWithPadding(tokenizer),
        smooth=extra.smooth,
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
