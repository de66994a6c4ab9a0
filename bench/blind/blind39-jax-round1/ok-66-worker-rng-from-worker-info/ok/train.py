import glob
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from stream import ShuffledShards


def main(epochs=3):
    dist.init_process_group("gloo")
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.manual_seed(rank)
    dataset = ShuffledShards(glob.glob("shards/*.pt"), rank, world, seed=5)
    loader = DataLoader(dataset, batch_size=16, num_workers=2)
    model = DistributedDataParallel(nn.Linear(64, 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        dataset.set_epoch(epoch)
        with Join([model]):
            for x in loader:
                loss = (model(x) - x).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
