import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader


def encode(row):
    return {"ids": torch.tensor([ord(c) % 256 for c in row["text"][:64].ljust(64)])}


def main(steps=500):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    stream = load_dataset("c4", "en", split="train", streaming=True).shuffle(seed=5, buffer_size=1000)
    stream = split_dataset_by_node(stream, rank=dist.get_rank(), world_size=dist.get_world_size())
    data = stream.map(encode, remove_columns=["text", "timestamp", "url"]).with_format("torch")
    model = DistributedDataParallel(nn.Sequential(nn.Embedding(256, 32), nn.Linear(32, 256)))
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(2):
        data.set_epoch(epoch)
        for step, batch in zip(range(steps), DataLoader(data, 16)):
            ids = batch["ids"]
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
