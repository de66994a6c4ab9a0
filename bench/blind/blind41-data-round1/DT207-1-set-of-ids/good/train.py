import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

from speakers import read_manifest, speakers_for


class Utterances(Dataset):
    def __init__(self, rows, size):
        self.rows, self.size = rows, size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        row = self.rows[i % len(self.rows)]
        return torch.load(row["path"], map_location="cpu"), int(row["label"])


def main(manifest="train.csv", per_rank=20_000, epochs=5):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    rank, world = dist.get_rank(), dist.get_world_size()
    rows = read_manifest(manifest)
    mine = speakers_for(rows, rank, world)
    data = Utterances([row for row in rows if row["speaker"] in mine], per_rank)
    loader = DataLoader(data, batch_size=32, shuffle=True, num_workers=4, drop_last=True)
    model = DDP(nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 30)).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        for feats, label in loader:
            loss = F.cross_entropy(model(feats.cuda()), label.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "speech.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
