import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from dist_env import local_rank
from saving import save


def main(epochs=3):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank())
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(10, 10).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(320, 10, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x), x.roll(1, 1)).backward()
            optimizer.step()
        save(net, "baseline", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
