import torch
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, default_data_collator


def tokenized(accelerator, tokenizer, name):
    with accelerator.main_process_first():
        raw = load_dataset(name, split="train")
        return raw.map(
            lambda rows: tokenizer(rows["sentence"], truncation=True, padding="max_length", max_length=64),
            batched=True,
            remove_columns=["sentence", "idx"],
        ).rename_column("label", "labels")


def main(epochs=3):
    accelerator = Accelerator(mixed_precision="bf16")
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    data = tokenized(accelerator, tokenizer, "stanfordnlp/sst2")
    parts = data.train_test_split(test_size=0.05, seed=42)
    train = DataLoader(parts["train"], batch_size=32, shuffle=True, collate_fn=default_data_collator, drop_last=True)
    valid = DataLoader(parts["test"], batch_size=64, collate_fn=default_data_collator)
    model = AutoModelForSequenceClassification.from_pretrained("bert-base-cased", num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    model, optimizer, train, valid = accelerator.prepare(model, optimizer, train, valid)
    for epoch in range(epochs):
        model.train()
        for batch in train:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        right = total = 0
        for batch in valid:
            with torch.no_grad():
                guess = model(**batch).logits.argmax(-1)
            guess, labels = accelerator.gather_for_metrics((guess, batch["labels"]))
            right += (guess == labels).sum().item()
            total += labels.numel()
        accelerator.print(f"epoch {epoch}: {right / total:.4f}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
