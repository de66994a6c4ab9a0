import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def check_output(path, overwrite, device):
    folder = Path(path)
    full = False
    if dist.get_rank() == 0:
        full = folder.exists() and any(folder.iterdir())
    flag = torch.tensor(int(full), device=device)
    dist.broadcast(flag, src=0)
    if flag.item() and not overwrite:
        raise FileExistsError(f"{folder} is not empty; pass --overwrite")


def main(out="result", overwrite=False):
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    check_output(out, overwrite, device)
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 4).to(device))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(400, 4, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = (model(x.to(device)) - x.to(device)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        Path(out).mkdir(exist_ok=True)
        torch.save(model.module.state_dict(), Path(out) / "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
