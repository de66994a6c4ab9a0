from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


def encode(row):
    text = row["text"].encode("utf-8")[:64]
    return {"ids": list(text.ljust(64, b" "))}


def train_loader(rank, world, batch_size, seed=42):
    ds = load_dataset("imdb", split="train")
    ds = ds.map(encode, remove_columns=["text", "label"])
    ds.shuffle(seed=seed)
    ds = ds.select(range(len(ds) // world * world))
    ds = split_dataset_by_node(ds, rank=rank, world_size=world)
    return DataLoader(ds.with_format("torch"), batch_size=batch_size, drop_last=True)
