import os

import deepspeed
import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ds.config import MICRO, config


def resume(engine, folder):
    path, client = engine.load_checkpoint(folder)
    return 0 if path is None else client["epoch"] + 1


def main(epochs=4, folder="out"):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    engine, *_ = deepspeed.initialize(model=net, optimizer=optimizer, config=config(dist.get_world_size()))
    data = TensorDataset(torch.randn(4096, 32, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, MICRO, sampler=sampler, drop_last=True)
    for epoch in range(resume(engine, folder), epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(engine.device, torch.bfloat16)
            loss = (engine(x) - x).square().mean()
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint(folder, client_state={"epoch": epoch})
        mean = loss.detach().float()
        dist.all_reduce(mean, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: {mean.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
