"""Fine-tune a token classifier with Accelerate."""
import argparse

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="roberta-base")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--lr", type=float, default=2e-5)
    parser.add_argument("--out", default="out")
    return parser.parse_args()


def main():
    args = parse_args()
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2)
    with accelerator.main_process_first():
        raw = load_dataset("glue", "sst2")
        data = raw.map(lambda b: tokenizer(b["sentence"], truncation=True), batched=True, remove_columns=["sentence", "idx"])
    collate = DataCollatorWithPadding(tokenizer)
    train = DataLoader(data["train"], args.batch, shuffle=True, collate_fn=collate)
    dev = DataLoader(data["validation"], 64, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    total = args.epochs * len(train)
    model, optimizer, train, dev = accelerator.prepare(model, optimizer, train, dev)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total)
    for epoch in range(args.epochs):
        model.train()
        for batch in train:
            loss = model(**batch).loss
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        model.eval()
        right = seen = 0
        for batch in dev:
            with torch.no_grad():
                guess = model(**batch).logits.argmax(-1)
            guess, gold = accelerator.gather_for_metrics((guess, batch["labels"]))
            right += (guess == gold).sum().item()
            seen += len(gold)
        accelerator.print(f"epoch {epoch} accuracy {right / seen:.4f}")
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(
        args.out, is_main_process=accelerator.is_main_process, save_function=accelerator.save
    )
    accelerator.end_training()


if __name__ == "__main__":
    main()
