import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset

from shards import RankSampler


def table(n=640):
    x = torch.linspace(0, 4, n).unsqueeze(1)
    return TensorDataset(torch.cat([x, x**2], 1), torch.cos(x))


def main(epochs=3, batch=16):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    data = table()
    sampler = RankSampler(len(data), rank, world)
    loader = DataLoader(data, batch_size=batch, sampler=sampler, drop_last=True)
    model = DDP(torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)))
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(())
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            print(epoch, total.item() / (world * len(loader)))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
