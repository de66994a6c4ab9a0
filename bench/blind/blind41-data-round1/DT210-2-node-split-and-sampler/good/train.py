import torch
import torch.distributed as dist
from datasets import load_from_disk
from datasets.distributed import split_dataset_by_node
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torch.utils.data import RandomSampler


def prepare(path, rank, world):
    rows = load_from_disk(path).with_format("torch")
    rows = rows.select(range(len(rows) // world * world))
    return split_dataset_by_node(rows, rank=rank, world_size=world)


def main(path="encoded", epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    rank, world = dist.get_rank(), dist.get_world_size()
    rows = prepare(path, rank, world)
    sampler = RandomSampler(rows, generator=torch.Generator().manual_seed(rank))
    loader = DataLoader(rows, batch_size=16, sampler=sampler, drop_last=True)
    model = DDP(nn.Sequential(nn.Embedding(30522, 32), nn.Flatten(), nn.Linear(32 * 64, 2)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        for batch in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch["input_ids"]), batch["label"]).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
