import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from bus import Bus, global_mean

bus = Bus()


@bus.on("epoch")
def tell(epoch, loss, device):
    mean = global_mean(loss, device)
    if dist.get_rank() == 0:
        print(f"epoch {epoch}: {mean:.4f}")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(512, 8, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = 0.0
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        bus.fire("epoch", epoch=epoch, loss=total / len(loader), device=device)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "bus.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
