from dataclasses import dataclass

import torch
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


@dataclass
class DataConfig:
    pattern: str = "corpus/*.jsonl"
    block: int = 32
    micro_batch: int = 4
    buffer: int = 64
    seed: int = 11


class Collator:
    def __init__(self, block):
        self.block = block

    def __call__(self, rows):
        out = torch.zeros(len(rows), self.block, dtype=torch.long)
        for i, row in enumerate(rows):
            ids = torch.tensor([ord(c) % 97 for c in row["text"]][: self.block])
            out[i, : len(ids)] = ids
        return out


def build_stream(cfg, rank, world):
    stream = load_dataset("json", data_files={"train": cfg.pattern}, split="train", streaming=True)
    stream = stream.filter(lambda row: len(row["text"]) > 4).shuffle(seed=cfg.seed, buffer_size=cfg.buffer)
    return stream


def build_loader(cfg, rank, world):
    stream = build_stream(cfg, rank, world)
    return stream, DataLoader(stream, batch_size=cfg.micro_batch, collate_fn=Collator(cfg.block), drop_last=True)
