import os
from contextlib import nullcontext
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from config import Config


class Features(Dataset):
    def __init__(self, root):
        self.bundle = torch.load(Path(root) / "train.pt", map_location="cpu", weights_only=True, mmap=True)

    def __len__(self):
        return len(self.bundle["label"])

    def __getitem__(self, index):
        return self.bundle["feature"][index], self.bundle["label"][index]


def loader_for(dataset, cfg):
    sampler = DistributedSampler(dataset, shuffle=True, seed=cfg.seed, drop_last=True)
    return DataLoader(
        dataset,
        batch_size=cfg.batch.per_rank // dist.get_world_size(),
        sampler=sampler,
        num_workers=4,
        pin_memory=True,
        drop_last=True,
    )


def train_epoch(model, loader, optimizer, cfg, device):
    window = cfg.batch.accumulate
    usable = len(loader) // window * window
    optimizer.zero_grad(set_to_none=True)
    for index, (feature, label) in enumerate(loader):
        if index == usable:
            break
        closing = (index + 1) % window == 0
        with nullcontext() if closing else model.no_sync():
            loss = nn.functional.cross_entropy(model(feature.to(device)), label.to(device))
            (loss / window).backward()
        if closing:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


def main():
    cfg = Config()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl")
    torch.manual_seed(cfg.seed)

    loader = loader_for(Features(cfg.root), cfg)
    net = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1000)).to(device)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)
    for epoch in range(cfg.epochs):
        loader.sampler.set_epoch(epoch)
        train_epoch(model, loader, optimizer, cfg, device)
        if dist.get_rank() == 0:
            torch.save({"epoch": epoch, "model": net.state_dict()}, "probe.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
