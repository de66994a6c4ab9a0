"""One program with subcommands: preprocess (pool), train (ddp), average checkpoints; env parsing in a helper."""
import argparse
import concurrent.futures
import json
import os
import pathlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


def tokenize_file(pair):
    source, target = pair
    words = source.read_text().split()
    target.write_text(json.dumps([hash(w) % 1000 for w in words]))
    return len(words)


def preprocess(args):
    args.out.mkdir(parents=True, exist_ok=True)
    files = sorted(args.source.glob("*.txt"))
    pairs = [(f, args.out / f.with_suffix(".json").name) for f in files]
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        total = sum(pool.map(tokenize_file, pairs))
    print("tokens:", total)


class Tokens(Dataset):
    def __init__(self, folder, block):
        rows = []
        for f in sorted(folder.glob("*.json")):
            rows += json.loads(f.read_text())
        n = len(rows) // block * block
        self.rows = torch.tensor(rows[:n]).view(-1, block)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Bigram(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(1000, 1000)

    def forward(self, t):
        return nn.functional.cross_entropy(self.table(t[:, :-1]).flatten(0, 1), t[:, 1:].flatten())


def train(args):
    distributed = int(os.environ.get("WORLD_SIZE", "1")) > 1
    rank = int(os.environ.get("RANK", "0"))
    local = int(os.environ.get("LOCAL_RANK", "0"))
    if distributed:
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    device = torch.device("cuda", local) if torch.cuda.is_available() else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    torch.manual_seed(args.seed)
    data = Tokens(args.data, args.block)
    sampler = DistributedSampler(data) if distributed else None
    loader = DataLoader(data, args.batch, sampler=sampler, shuffle=sampler is None)
    net = Bigram().to(device)
    model = DDP(net, device_ids=[local] if device.type == "cuda" else None) if distributed else net
    optimizer = torch.optim.Adam(model.parameters(), args.lr)
    for epoch in range(args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for batch in loader:
            loss = model(batch.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            args.ckpt.mkdir(parents=True, exist_ok=True)
            torch.save(net.state_dict(), args.ckpt / f"{epoch:03d}.pt")
        if distributed:
            dist.barrier()
    if distributed:
        dist.destroy_process_group()


def average(args):
    paths = sorted(args.ckpt.glob("*.pt"))[-args.last :]
    states = [torch.load(p, map_location="cpu") for p in paths]
    mean = {k: sum(s[k] for s in states) / len(states) for k in states[0]}
    torch.save(mean, args.ckpt / "average.pt")


def main():
    parser = argparse.ArgumentParser()
    sub = parser.add_subparsers(required=True)
    p = sub.add_parser("preprocess")
    p.add_argument("source", type=pathlib.Path)
    p.add_argument("out", type=pathlib.Path)
    p.add_argument("--jobs", type=int, default=8)
    p.set_defaults(run=preprocess)
    t = sub.add_parser("train")
    t.add_argument("data", type=pathlib.Path)
    t.add_argument("--ckpt", type=pathlib.Path, default=pathlib.Path("ckpt"))
    for name, default in (("block", 128), ("batch", 16), ("epochs", 3), ("seed", 0)):
        t.add_argument(f"--{name}", type=int, default=default)
    t.add_argument("--lr", type=float, default=1e-3)
    t.set_defaults(run=train)
    a = sub.add_parser("average")
    a.add_argument("ckpt", type=pathlib.Path)
    a.add_argument("--last", type=int, default=5)
    a.set_defaults(run=average)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
