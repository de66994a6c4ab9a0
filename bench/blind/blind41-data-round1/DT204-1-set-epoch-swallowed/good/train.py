import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from prefetch import Prefetcher


def main(epochs=10):
    dist.init_process_group("gloo")
    torch.manual_seed(3)
    x = torch.randn(6000, 12)
    data = TensorDataset(x, x.sum(dim=1, keepdim=True))
    sampler = DistributedSampler(data, shuffle=True, seed=3)
    loader = Prefetcher(DataLoader(data, batch_size=50, sampler=sampler, drop_last=True))
    model = DDP(nn.Linear(12, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        loader.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            F.mse_loss(model(xb), yb).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
