"""Sentence classifier with Lightning Fabric on a hub data set."""
import argparse

import lightning as L
import torch
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoTokenizer


class Bag(nn.Module):
    def __init__(self, vocabulary, classes, width=128):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocabulary, width, padding_idx=0)
        self.out = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, classes))

    def forward(self, ids):
        return self.out(self.embed(ids))


def rows(fabric, tokenizer, length):
    with fabric.rank_zero_first():
        data = load_dataset("ag_news", split="train")
        data = data.map(
            lambda b: {"ids": tokenizer(b["text"], truncation=True, padding="max_length", max_length=length)["input_ids"]},
            batched=True,
            remove_columns=["text"],
        )
    data = data.shuffle(seed=0)
    data = data.select(range(len(data) // fabric.world_size * fabric.world_size))
    return data.shard(num_shards=fabric.world_size, index=fabric.global_rank, contiguous=True).with_format("torch")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=128)
    args = parser.parse_args()

    fabric = L.Fabric(accelerator="cuda", devices=args.devices, num_nodes=args.nodes, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    fabric.seed_everything(5)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    data = rows(fabric, tokenizer, 96)
    loader = DataLoader(data, batch_size=args.batch_size, shuffle=True, num_workers=3, drop_last=True)
    loader = fabric.setup_dataloaders(loader, use_distributed_sampler=False)
    model = Bag(len(tokenizer), classes=4)
    model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters(), lr=2e-3))

    for epoch in range(args.epochs):
        model.train()
        for batch in loader:
            loss = nn.functional.cross_entropy(model(batch["ids"]), batch["label"])
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch}: {mean.item():.4f}")
    fabric.save("bag.ckpt", {"model": model, "optimizer": optimizer})


if __name__ == "__main__":
    main()
