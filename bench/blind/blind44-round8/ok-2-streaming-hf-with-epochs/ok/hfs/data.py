from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.utils.data import DataLoader


def stream(name, rank, world, seed):
    data = load_dataset(name, split="train", streaming=True)
    data = data.shuffle(seed=seed, buffer_size=1000)
    return split_dataset_by_node(data, rank=rank, world_size=world)


def loader(data, tokenizer, batch, width):
    def collate(rows):
        return tokenizer([r["text"] for r in rows], truncation=True, max_length=width, padding="max_length", return_tensors="pt")

    return DataLoader(data, batch_size=batch, collate_fn=collate, num_workers=2, drop_last=True)
