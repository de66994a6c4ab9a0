import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from core.env import ProcessInfo, open_group
from core.loop import fit


def main():
    info = ProcessInfo.from_environ()
    open_group(info)
    device = info.device()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 10)).to(device)
    model = DDP(net, device_ids=[device.index])
    g = torch.Generator().manual_seed(0)
    x = torch.randn(2048, 40, generator=g)
    data = TensorDataset(x, x[:, :10].argmax(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 64, sampler=sampler, pin_memory=True, num_workers=2, drop_last=True)
    fit(model, loader, sampler, torch.optim.AdamW(model.parameters()), device, 3, torch.amp.GradScaler("cuda"))
    if info.main:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
