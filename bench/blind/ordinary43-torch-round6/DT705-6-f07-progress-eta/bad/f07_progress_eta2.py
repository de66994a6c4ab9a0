"""Time-limited training: elapsed time decided by rank 0 and broadcast; logging with tqdm on rank 0; wandb offline run id shared."""
import os
import time

import torch
import torch.distributed as dist
import wandb
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm


class Deadline:
    def __init__(self, seconds):
        self.end = time.time() + seconds

    def reached(self):
        flag = torch.zeros(1, device="cuda")
        if dist.get_rank() == 0:
            flag.fill_(float(time.time() > self.end))
        dist.broadcast(flag, src=0)
        return bool(flag.item())


def shared_name():
    return time.strftime("%Y%m%d-%H%M%S")


def main():
    dist.init_process_group("nccl")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    folder = os.path.join("runs", shared_name())
    if rank == 0:
        os.makedirs(folder)
        wandb.init(project="deadline", dir=folder)
    dist.barrier()
    torch.manual_seed(0)
    x = torch.randn(6400, 32)
    data = TensorDataset(x, x.softmax(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, 64, sampler=sampler)
    model = DDP(nn.Linear(32, 32).cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    deadline = Deadline(3600)
    done = False
    epoch = 0
    while not done:
        sampler.set_epoch(epoch)
        bar = tqdm(loader, desc=f"epoch {epoch}") if rank == 0 else loader
        for a, b in bar:
            loss = nn.functional.mse_loss(model(a.cuda()), b.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if rank == 0:
                bar.set_postfix(loss=f"{loss.item():.4f}")
        if rank == 0:
            wandb.log({"loss_rank0": loss.item()}, step=epoch)
        torch.save({"rng": torch.get_rng_state()}, os.path.join(folder, f"rng-{rank}.pt"))
        done = deadline.reached()
        epoch += 1
    if rank == 0:
        torch.save(model.module.state_dict(), os.path.join(folder, "final.pt"))
        wandb.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
