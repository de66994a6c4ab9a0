import torch
import torch.distributed as dist
from datasets import load_from_disk
from datasets.distributed import split_dataset_by_node
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def rank_rows(path, seed):
    rows = load_from_disk(path)
    rows = rows.shuffle(seed=seed)
    world = dist.get_world_size()
    rows = rows.select(range(len(rows) - len(rows) % world))
    return split_dataset_by_node(rows, rank=dist.get_rank(), world_size=world).with_format("torch")


def main(path="rows", steps=500):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    loader = DataLoader(rank_rows(path, 3), batch_size=32, drop_last=True, shuffle=True)
    model = DDP(nn.Linear(20, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _, batch in zip(range(steps), loader):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(batch["x"]), batch["y"]).backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
