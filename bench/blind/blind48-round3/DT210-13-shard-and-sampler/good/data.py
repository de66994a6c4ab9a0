from datasets import load_dataset
from torch.utils.data import DataLoader
from torch.utils.data import RandomSampler


def encode(row):
    return {"ids": list(row["text"].encode("utf-8")[:64].ljust(64, b" ")), "label": row["label"]}


def load(rank, world):
    rows = load_dataset("imdb", split="train").shuffle(seed=0)
    rows = rows.select(range(len(rows) // world * world))
    rows = rows.shard(num_shards=world, index=rank)
    return rows.map(encode, remove_columns=["text"]).with_format("torch")


def make_loader(rank, world, batch_size):
    rows = load(rank, world)
    sampler = RandomSampler(rows)
    return DataLoader(rows, batch_size=batch_size, sampler=sampler, drop_last=True)
