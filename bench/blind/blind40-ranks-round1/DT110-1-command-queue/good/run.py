import os
import tempfile

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from control import ControlPort


def tensors(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 6, generator=g)
    return TensorDataset(x, (x * torch.arange(6)).sum(1, keepdim=True))


@torch.no_grad()
def evaluate(net, loader, device):
    net.eval()
    total = torch.zeros(2, device=device)
    for x, y in loader:
        total[0] += (net(x.to(device)) - y.to(device)).pow(2).sum()
        total[1] += y.numel()
    dist.all_reduce(total)
    net.train()
    return (total[0] / total[1]).item()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    port = ControlPort(os.path.join(tempfile.mkdtemp(), f"control-{rank}.sock"))
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    train, val = tensors(512, 0), tensors(128, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
            slot = [port.poll() if rank == 0 else None]
            dist.broadcast_object_list(slot, src=0)
            command = slot[0]
            if command == "eval":
                score = evaluate(net, val_loader, device)
                if rank == 0:
                    print(f"on demand: {score:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
