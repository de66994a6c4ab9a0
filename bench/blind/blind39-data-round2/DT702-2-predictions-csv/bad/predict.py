import argparse
import csv
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Wells(Dataset):
    def __init__(self, n=5000):
        gen = torch.Generator().manual_seed(5)
        self.logs = torch.randn(n, 32, generator=gen)

    def __len__(self):
        return len(self.logs)

    def __getitem__(self, i):
        return i, self.logs[i]


def build():
    return nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))


class CsvSink:
    def __init__(self, path):
        self.path = Path(path)

    def write(self, rows):
        with self.path.open("w", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(["well", "porosity"])
            writer.writerows(rows)


@torch.no_grad()
def predict(model, loader, device):
    rows = []
    for index, logs in loader:
        values = model(logs.to(device)).squeeze(-1).cpu()
        rows.extend(zip(index.tolist(), values.tolist()))
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="porosity.pt")
    parser.add_argument("--out", default="predictions.csv")
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    model = build().to(device).eval()
    model.load_state_dict(torch.load(args.weights, map_location=device, weights_only=True))
    data = Wells()
    loader = DataLoader(data, batch_size=128, sampler=DistributedSampler(data, shuffle=False))
    rows = predict(model, loader, device)
    CsvSink(args.out).write(rows)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
