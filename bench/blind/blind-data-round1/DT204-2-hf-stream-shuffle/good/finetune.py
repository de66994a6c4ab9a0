import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader

EPOCHS = 3
FILES = "shards/part-*.jsonl"


def to_tensor(rows):
    return torch.stack([torch.tensor(r["vector"], dtype=torch.float32) for r in rows])


class AutoEncoder(nn.Module):
    def __init__(self, dim=8, code=3):
        super().__init__()
        self.down, self.up = nn.Linear(dim, code), nn.Linear(code, dim)

    def forward(self, x):
        return self.up(torch.tanh(self.down(x)))


def setup():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")


def train(device):
    rows = load_dataset("json", data_files=FILES, split="train", streaming=True)
    rows = rows.shuffle(seed=42, buffer_size=128)
    rows = split_dataset_by_node(rows, rank=dist.get_rank(), world_size=dist.get_world_size())
    loader = DataLoader(rows, batch_size=8, collate_fn=to_tensor, drop_last=True)
    torch.manual_seed(0)
    model = AutoEncoder().to(device)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    limit = 12
    for epoch in range(EPOCHS):
        rows.set_epoch(epoch)
        for index, batch in enumerate(loader):
            if index == limit:
                break
            batch = batch.to(device)
            loss = (model(batch) - batch).pow(2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    where = setup()
    train(where)
    dist.destroy_process_group()
