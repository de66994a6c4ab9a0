import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(6, 3)

    def forward(self, x):
        return self.lin(x)


def everything(tensor):
    parts = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, tensor)
    # the sampler deals rows out like cards; what it repeats to fill up is at the end
    return torch.stack(parts, dim=1).flatten(0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1001)
    parser.add_argument("--out", default="scores.json")
    args = parser.parse_args()
    device = start()
    x = torch.randn(args.rows, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, shuffle=False)
    loader = DataLoader(data, batch_size=64, sampler=sampler)
    torch.manual_seed(0)
    model = Probe().to(device).eval()
    guesses, truths = [], []
    with torch.inference_mode():
        for rows, label in loader:
            guesses.append(model(rows.to(device)).argmax(1))
            truths.append(label.to(device))
    guess, truth = (everything(torch.cat(part))[: len(data)] for part in (guesses, truths))
    accuracy = (guess == truth).float().mean().item()
    if dist.get_rank() == 0:
        with open(args.out, "w") as out:
            json.dump({"accuracy": accuracy, "rows": len(guess)}, out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
