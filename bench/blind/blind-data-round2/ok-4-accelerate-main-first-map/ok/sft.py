import argparse
import glob

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from datasets import load_dataset
from torch.utils.data import DataLoader


def encode(part, length):
    ids = [[ord(c) % 90 for c in text][:length] for text in part["text"]]
    return {"ids": [row + [0] * (length - len(row)) for row in ids]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default="corpus/*.jsonl")
    parser.add_argument("--length", type=int, default=12)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    accelerator = Accelerator(cpu=not torch.cuda.is_available(), gradient_accumulation_steps=2)
    files = sorted(glob.glob(args.data))
    with accelerator.main_process_first():
        rows = load_dataset("json", data_files=files, split="train")
        rows = rows.map(encode, batched=True, fn_kwargs={"length": args.length}, remove_columns=rows.column_names)
    parts = rows.train_test_split(test_size=0.1, seed=args.seed)
    collate = lambda part: torch.tensor([row["ids"] for row in part])
    train = DataLoader(parts["train"], batch_size=8, shuffle=True, collate_fn=collate, drop_last=True)
    test = DataLoader(parts["test"], batch_size=8, collate_fn=collate)
    torch.manual_seed(args.seed)
    model = nn.Sequential(nn.Embedding(90, 16), nn.Linear(16, 90))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, train, test = accelerator.prepare(model, optimizer, train, test)
    for epoch in range(args.epochs):
        for ids in train:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        losses = []
        for ids in test:
            with torch.no_grad():
                each = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none").mean(1)
            losses.append(accelerator.gather_for_metrics(each))
        accelerator.print(epoch, torch.cat(losses).mean().item())
    accelerator.save_state("state")
    accelerator.end_training()


if __name__ == "__main__":
    main()
