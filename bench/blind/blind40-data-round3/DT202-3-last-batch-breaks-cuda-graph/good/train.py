import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_loader(batch_size):
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(10_001, 128, generator=gen)
    data = TensorDataset(x, x[:, :8].argmax(1))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, pin_memory=True, drop_last=True)


def main(epochs=5):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    device = torch.device("cuda", torch.cuda.current_device())
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 8)).to(device)
    model = DDP(net, device_ids=[device.index], static_graph=True)
    compiled = torch.compile(model, mode="reduce-overhead", fullgraph=True, dynamic=False)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = make_loader(256)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            loss = F.cross_entropy(compiled(x.to(device, non_blocking=True)), y.to(device, non_blocking=True))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
