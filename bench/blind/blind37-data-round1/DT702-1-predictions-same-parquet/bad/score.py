import argparse
import os
from pathlib import Path

import pandas as pd
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from transformers import AutoModelForSequenceClassification, AutoTokenizer


class Reviews(Dataset):
    def __init__(self, table, tokenizer, max_length=256):
        self.table = pd.read_parquet(table)
        self.tokenizer = tokenizer
        self.max_length = max_length

    def __len__(self):
        return len(self.table)

    def __getitem__(self, i):
        row = self.table.iloc[i]
        enc = self.tokenizer(row.text, truncation=True, padding="max_length", max_length=self.max_length, return_tensors="pt")
        return {"id": int(row.id), "label": int(row.label), **{k: v[0] for k, v in enc.items()}}


class Table:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.rows = []

    def add(self, ids, probabilities):
        self.rows += [{"id": i, "p": p} for i, p in zip(ids.tolist(), probabilities.tolist())]

    def flush(self, epoch):
        pd.DataFrame(self.rows).to_parquet(self.folder / f"dev-{epoch:02d}.parquet")
        self.rows = []


@torch.no_grad()
def predict(model, loader, table, epoch):
    model.eval()
    for batch in loader:
        ids, _ = batch.pop("id"), batch.pop("label")
        logits = model(**{k: v.cuda(non_blocking=True) for k, v in batch.items()}).logits
        table.add(ids, logits.softmax(-1)[:, 1].cpu())
    table.flush(epoch)
    model.train()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--train", default="reviews/train.parquet")
    ap.add_argument("--dev", default="reviews/dev.parquet")
    ap.add_argument("--out", default="predictions")
    ap.add_argument("--model", default="distilbert-base-uncased")
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    train, dev = Reviews(args.train, tokenizer), Reviews(args.dev, tokenizer)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=32, sampler=sampler, num_workers=4, drop_last=True)
    dev_loader = DataLoader(dev, batch_size=64, sampler=DistributedSampler(dev, shuffle=False), num_workers=4)
    net = AutoModelForSequenceClassification.from_pretrained(args.model, num_labels=2).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-5)
    table = Table(args.out)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            batch.pop("id")
            labels = batch.pop("label").cuda(non_blocking=True)
            loss = model(**{k: v.cuda(non_blocking=True) for k, v in batch.items()}, labels=labels).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        predict(model, dev_loader, table, epoch)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
