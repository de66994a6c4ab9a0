"""Segmentation on volumes with FSDP2 and distributed checkpoints; 'latest' points to the newest one."""
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset, DistributedSampler

OUT = Path(os.environ.get("RUN_DIR", "runs/volumes"))


class Volumes(Dataset):
    def __init__(self, root):
        self.files = sorted(Path(root).rglob("*.pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        volume = torch.load(self.files[index], map_location="cpu", weights_only=True)
        return volume["image"], volume["mask"]


class Checkpointer:
    def __init__(self, root, every):
        self.root = root
        self.every = every
        if dist.get_rank() == 0:
            root.mkdir(parents=True, exist_ok=True)
        dist.barrier()

    def due(self, step):
        return step % self.every == 0

    def save(self, model, optimizer, step):
        weights, moments = get_state_dict(model, optimizer)
        target = self.root / f"step-{step:07d}"
        dcp.save({"model": weights, "optimizer": moments, "step": step}, checkpoint_id=str(target))
        self.point_to(target)
        dist.barrier()

    def point_to(self, target):
        link = self.root / "latest"
        fresh = self.root / ".latest.new"
        fresh.symlink_to(target.name)
        fresh.replace(link)


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        widths = (1, 32, 64, 64)
        self.stages = nn.ModuleList(
            nn.Sequential(nn.Conv3d(a, b, 3, padding=1), nn.InstanceNorm3d(b), nn.LeakyReLU()) for a, b in zip(widths, widths[1:])
        )
        self.out = nn.Conv3d(widths[-1], classes, 1)

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return self.out(x)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(6)
    model = Net().to(device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    for stage in model.stages:
        fully_shard(stage, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    rows = Volumes("/data/volumes")
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, batch_size=2, sampler=sampler, num_workers=4, drop_last=True)
    keeper = Checkpointer(OUT, every=500)
    step = 0
    for epoch in range(40):
        sampler.set_epoch(epoch)
        for image, mask in loader:
            loss = nn.functional.cross_entropy(model(image.to(device)), mask.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if keeper.due(step):
                keeper.save(model, optimizer, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
