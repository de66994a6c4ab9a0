import argparse
import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Accuracy:
    def __init__(self, device):
        self.right = torch.zeros((), device=device)
        self.seen = torch.zeros((), device=device)

    def update(self, logits, target):
        self.right += (logits.argmax(1) == target).sum()
        self.seen += target.numel()

    def reduce(self):
        for t in (self.right, self.seen):
            dist.all_reduce(t)
        return self

    @property
    def value(self):
        return (self.right / self.seen).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("weights")
    p.add_argument("--out", default="result.json")
    args = p.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    net = nn.Sequential(nn.Linear(50, 100), nn.ReLU(), nn.Linear(100, 10)).to(device)
    net.load_state_dict(torch.load(args.weights, map_location=device, weights_only=True))
    net.eval()
    x = torch.randn(4000, 50, generator=torch.Generator().manual_seed(99))
    data = TensorDataset(x, x[:, :10].argmax(1))
    loader = DataLoader(data, batch_size=100, sampler=DistributedSampler(data, shuffle=False))
    accuracy = Accuracy(device)
    with torch.inference_mode():
        for xb, yb in loader:
            accuracy.update(net(xb.to(device)), yb.to(device))
    accuracy.reduce()
    if dist.get_rank() == 0:
        with open(args.out, "w") as f:
            json.dump({"accuracy": accuracy.value, "samples": len(data)}, f)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
