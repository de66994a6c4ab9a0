import os
import shutil
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


def fresh_folder(path, overwrite):
    """An empty folder for this run."""
    path = Path(path)
    if dist.get_rank() == 0:
        if path.exists():
            if not overwrite:
                raise FileExistsError(path)
            shutil.rmtree(path)
        path.mkdir(parents=True)
    dist.barrier()
    return path


@record
def main():
    device = start()
    out = fresh_folder(os.environ.get("OUT", "out"), overwrite=True)
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 5).to(device))
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
    data = TensorDataset(torch.randn(200, 5, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in DataLoader(data, batch_size=10, sampler=sampler):
            loss = F.l1_loss(model(x.to(device)), x.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), out / f"{epoch}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
