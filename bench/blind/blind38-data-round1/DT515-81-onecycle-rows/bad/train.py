"""Image retrieval head with a one-cycle schedule, stepped after every batch."""
import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Embeddings(Dataset):
    def __init__(self, folder):
        self.files = sorted(Path(folder).glob("*.pt"))

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        item = torch.load(self.files[index], map_location="cpu", weights_only=True)
        return item["vector"], item["product"]


class Head(nn.Module):
    def __init__(self, width=768, products=5000):
        super().__init__()
        self.project = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 256))
        self.classes = nn.Parameter(torch.randn(products, 256) * 0.05)

    def forward(self, x):
        x = nn.functional.normalize(self.project(x), dim=-1)
        return 20.0 * x @ nn.functional.normalize(self.classes, dim=-1).t()


class Job:
    def __init__(self, args, local_rank):
        self.args = args
        self.device = torch.device("cuda", local_rank)
        self.rows = Embeddings(args.folder)
        self.sampler = DistributedSampler(self.rows, shuffle=True, drop_last=True)
        self.loader = DataLoader(
            self.rows, args.batch_size, sampler=self.sampler, num_workers=args.workers, drop_last=True
        )
        self.model = DDP(Head().to(self.device), device_ids=[local_rank])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.schedule = OneCycleLR(
            self.optimizer,
            max_lr=args.lr,
            epochs=args.epochs,
            steps_per_epoch=len(self.rows) // args.batch_size,
            pct_start=0.1,
        )

    def run(self):
        for epoch in range(self.args.epochs):
            self.sampler.set_epoch(epoch)
            for vectors, products in self.loader:
                scores = self.model(vectors.to(self.device))
                loss = nn.functional.cross_entropy(scores, products.to(self.device))
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                self.optimizer.step()
                self.schedule.step()
            if dist.get_rank() == 0:
                print(epoch, f"lr {self.schedule.get_last_lr()[0]:.2e}", flush=True)
                torch.save(self.model.module.state_dict(), "head.pt")


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("folder")
    cli.add_argument("--epochs", type=int, default=12)
    cli.add_argument("--batch-size", type=int, default=128)
    cli.add_argument("--workers", type=int, default=4)
    cli.add_argument("--lr", type=float, default=1e-3)
    args = cli.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    Job(args, local_rank).run()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
