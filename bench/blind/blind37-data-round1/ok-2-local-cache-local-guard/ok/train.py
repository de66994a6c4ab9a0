import os
import shutil
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SHARED = Path("/shared/datasets/ecg")
SCRATCH = Path("/tmp/ecg")
RUN = Path("/shared/runs/ecg")


def stage(local_rank):
    if local_rank == 0:
        SCRATCH.mkdir(parents=True, exist_ok=True)
        for part in sorted(SHARED.glob("*.npy")):
            if not (SCRATCH / part.name).exists():
                shutil.copy(part, SCRATCH / part.name)
    dist.barrier()


class Beats(Dataset):
    def __init__(self, folder):
        self.parts = [np.load(p, mmap_mode="r") for p in sorted(folder.glob("*.npy"))]
        self.offsets = np.cumsum([0, *(len(p) for p in self.parts)])

    def __len__(self):
        return int(self.offsets[-1])

    def __getitem__(self, i):
        part = int(np.searchsorted(self.offsets, i, side="right")) - 1
        return torch.from_numpy(np.array(self.parts[part][i - self.offsets[part]], dtype=np.float32))


class Denoiser(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, width, 9, padding=4), nn.SiLU(), nn.Conv1d(width, 1, 9, padding=4))

    def forward(self, noisy):
        return self.net(noisy)


def newest(run):
    found = sorted(run.glob("epoch*.pt"))
    return found[-1] if found else None


def main():
    rank, local_rank = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    stage(local_rank)
    if rank == 0:
        RUN.mkdir(parents=True, exist_ok=True)
    dist.barrier()
    torch.manual_seed(0)
    net = Denoiser().to(device)
    first = 0
    picked = [newest(RUN) if rank == 0 else None]
    dist.broadcast_object_list(picked, src=0)
    if picked[0] is not None:
        state = torch.load(picked[0], map_location=device)
        net.load_state_dict(state["net"])
        first = state["epoch"] + 1
    torch.manual_seed(100 + rank)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    data = Beats(SCRATCH)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=4, drop_last=True)
    for epoch in range(first, 20):
        sampler.set_epoch(epoch)
        for clean in loader:
            clean = clean.to(device, non_blocking=True).unsqueeze(1)
            loss = nn.functional.l1_loss(model(clean + 0.1 * torch.randn_like(clean)), clean)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save({"net": net.state_dict(), "epoch": epoch}, RUN / f"epoch{epoch:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
