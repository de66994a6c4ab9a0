import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from data_module import Loaders, Seeds


def main(seed=5, epochs=3):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    rank, world = dist.get_rank(), dist.get_world_size()
    seeds = Seeds(seed, rank)
    seeds.apply()
    x = torch.randn(3000, 11, generator=torch.Generator().manual_seed(0))
    loaders = Loaders(TensorDataset(x, x[:, 0]), seeds, rank, world, 50)
    model = DDP(nn.Linear(11, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        for xb, yb in loaders.start_epoch(epoch):
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
