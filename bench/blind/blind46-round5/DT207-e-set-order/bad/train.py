import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

from manifest import my_clips


class Clips(Dataset):
    def __init__(self, names, root):
        self.names, self.root = names, root

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.load(self.root / f"{self.names[i]}.pt", map_location="cpu", weights_only=True)


def main(root=Path("clips"), epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    data = Clips(my_clips(root / "manifest.jsonl", dist.get_rank(), dist.get_world_size()), root)
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True, num_workers=2)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv1d(1, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 1, 5, padding=2)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for wave in loader:
            wave = wave.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.l1_loss(model(wave), wave).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
