import torch
from torch.utils.data import DataLoader, WeightedRandomSampler
from transformers import AutoModelForSequenceClassification, AutoTokenizer, Trainer, TrainingArguments
from datasets import load_dataset


class ShortFirstTrainer(Trainer):
    """Keeps short reviews first within a run, so that padding stays small."""

    def get_train_dataloader(self):
        loader = DataLoader(
            self.train_dataset,
            batch_size=self.args.per_device_train_batch_size,
            collate_fn=self.data_collator,
            shuffle=True,
            num_workers=self.args.dataloader_num_workers,
            drop_last=True,
        )
        return loader


def main():
    args = TrainingArguments(
        output_dir="out/reviews",
        per_device_train_batch_size=16,
        num_train_epochs=3,
        learning_rate=2e-5,
        dataloader_num_workers=2,
        save_strategy="epoch",
        report_to="none",
    )
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    reviews = load_dataset("imdb", split="train")

    def encode(rows):
        return tokenizer(rows["text"], truncation=True, max_length=256, padding="max_length")

    with args.main_process_first(desc="tokenize"):
        reviews = reviews.map(encode, batched=True, remove_columns=["text"])
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
    trainer = ShortFirstTrainer(model=model, args=args, train_dataset=reviews)
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
