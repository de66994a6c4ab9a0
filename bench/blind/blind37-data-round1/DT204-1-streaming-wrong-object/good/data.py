from dataclasses import dataclass

from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


@dataclass
class StreamConfig:
    name: str = "allenai/c4"
    subset: str = "en"
    buffer: int = 10_000
    seed: int = 1234
    batch_size: int = 8
    workers: int = 2


def open_stream(cfg, rank, world_size):
    stream = load_dataset(cfg.name, cfg.subset, split="train", streaming=True)
    stream = stream.shuffle(seed=cfg.seed, buffer_size=cfg.buffer)
    return split_dataset_by_node(stream, rank=rank, world_size=world_size)


def tokenised(stream, tokenizer, max_length=512):
    def encode(rows):
        return tokenizer(rows["text"], truncation=True, padding="max_length", max_length=max_length)

    return stream.map(encode, batched=True, remove_columns=["text", "timestamp", "url"]).with_format("torch")


def make_loader(cfg, stream):
    return DataLoader(stream, batch_size=cfg.batch_size, num_workers=cfg.workers, pin_memory=True, drop_last=True)
