"""Compiled training step with CUDA graphs (reduce-overhead)."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def make_loader(path, batch):
    data = TensorDataset(*torch.load(path, map_location="cpu", mmap=True))
    sampler = DistributedSampler(data)
    return DataLoader(data, batch_size=batch, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)


def main(epochs=10):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    net = nn.Sequential(*[nn.Sequential(nn.Linear(512, 512), nn.GELU()) for _ in range(8)], nn.Linear(512, 32))
    model = DDP(net.cuda(), device_ids=[local_rank])
    compiled = torch.compile(model, mode="reduce-overhead", dynamic=False, fullgraph=True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    loader = make_loader("vectors.pt", 256)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(compiled(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "mlp.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
