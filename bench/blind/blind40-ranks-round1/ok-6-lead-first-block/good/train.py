import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torch.utils.tensorboard import SummaryWriter

from ordering import lead_first

CACHE = Path(os.environ.get("CACHE_DIR", "cache"))


class Memmapped(Dataset):
    SHAPE = (640, 14)

    def __init__(self, path):
        self.rows = np.memmap(path, dtype=np.float32, mode="r", shape=self.SHAPE)

    @classmethod
    def write(cls, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        out = np.memmap(path, dtype=np.float32, mode="w+", shape=cls.SHAPE)
        out[:] = np.random.default_rng(12).standard_normal(cls.SHAPE, dtype=np.float32)
        out.flush()

    def __len__(self):
        return self.SHAPE[0]

    def __getitem__(self, i):
        row = torch.from_numpy(np.array(self.rows[i]))
        return row[:-1], row[-1:]


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    path = CACHE / "rows.f32"
    with lead_first(rank) as lead:
        if lead and not path.exists():
            Memmapped.write(path)
        data = Memmapped(path)
    writer = SummaryWriter(log_dir="tb") if rank == 0 else None
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True, num_workers=2)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        mean = torch.zeros((), device=device)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            mean += loss.detach() / len(loader)
        dist.all_reduce(mean)
        if writer is not None:
            writer.add_scalar("loss", mean.item() / dist.get_world_size(), epoch)
    if writer is not None:
        writer.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
