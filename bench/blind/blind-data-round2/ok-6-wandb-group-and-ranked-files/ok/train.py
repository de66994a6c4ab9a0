import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import wandb
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def main():
    device = start()
    rank = dist.get_rank()
    stamp = [time.strftime("%Y%m%d-%H%M")]
    dist.broadcast_object_list(stamp, src=0)
    run = wandb.init(project="demo", group=stamp[0], name=f"{stamp[0]}-rank{rank}", mode="offline")
    out = os.path.join("out", stamp[0])
    os.makedirs(out, exist_ok=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 6).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = TensorDataset(torch.randn(360, 6, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=12, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in tqdm(loader, disable=rank != 0):
            x = x.to(device)
            began = time.perf_counter()
            loss = F.mse_loss(model(x), x)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            run.log({"seconds": time.perf_counter() - began, "rank_loss": loss.item()})
        torch.save(optimizer.state_dict(), os.path.join(out, f"optimizer-{rank:05d}.pt"))
    if rank == 0:
        torch.save(model.module.state_dict(), os.path.join(out, "model.pt"))
    run.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
