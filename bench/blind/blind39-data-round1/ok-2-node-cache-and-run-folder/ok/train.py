import os
import tarfile
from datetime import datetime
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

SCRATCH = Path("/tmp/scenes")


class Scenes(Dataset):
    def __init__(self, root):
        self.paths = sorted(root.glob("*.pt"))

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        item = torch.load(self.paths[i], map_location="cpu", weights_only=True)
        return item["pixels"].float(), item["depth"].float()


def unpack(archive, local_rank):
    if local_rank == 0 and not SCRATCH.exists():
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(SCRATCH, filter="data")
    dist.barrier()


def shared_folder(base):
    name = [datetime.now().strftime("%m%d_%H%M") if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(name, src=0)
    folder = Path(base) / name[0]
    if dist.get_rank() == 0:
        folder.mkdir(parents=True)
    dist.barrier()
    return folder


def main(epochs=8):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    unpack("/shared/scenes.tar", local_rank)
    folder = shared_folder("/shared/depth")
    torch.manual_seed(0)
    data = Scenes(SCRATCH)
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True, num_workers=4)
    net = nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for pixels, depth in loader:
            opt.zero_grad(set_to_none=True)
            F.l1_loss(model(pixels.cuda()), depth.cuda()).backward()
            opt.step()
        torch.save(torch.cuda.get_rng_state(), folder / f"rng_{epoch}_{dist.get_rank():03d}.pt")
        if dist.get_rank() == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": epoch}, folder / "last.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
