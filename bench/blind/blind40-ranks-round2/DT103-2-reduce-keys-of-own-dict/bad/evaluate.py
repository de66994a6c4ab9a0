import argparse
import json
import os
from collections import defaultdict

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

LANGUAGES = ("de", "en", "fi", "pt", "sw", "tr")


class Lines(Dataset):
    """One shard of a tagged corpus: line i belongs to rank i % world."""

    def __init__(self, path, rank, world):
        with open(path) as f:
            rows = [json.loads(line) for i, line in enumerate(f) if i % world == rank]
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return torch.tensor(row["x"]), row["label"], row["lang"]


class PerLanguage:
    def __init__(self, device):
        self.device = device
        self.right = defaultdict(int)
        self.seen = defaultdict(int)

    def add(self, guess, label, langs):
        for ok, lang in zip((guess == label).tolist(), langs):
            self.right[lang] += int(ok)
            self.seen[lang] += 1

    def totals(self):
        table = {}
        for lang in self.seen:
            pair = torch.tensor([self.right[lang], self.seen[lang]], device=self.device)
            dist.all_reduce(pair)
            table[lang] = (pair[0] / pair[1].clamp(min=1)).item()
        return table


def load_model(path, device):
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4))
    net.load_state_dict(torch.load(path, map_location=device, weights_only=True))
    return net.to(device).eval()


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", default="by_language.json")
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device(f"cuda:{local_rank}") if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    net = load_model(args.weights, device)
    scores = PerLanguage(device)
    for x, label, langs in DataLoader(Lines(args.corpus, rank, world), batch_size=64):
        scores.add(net(x.to(device)).argmax(1).cpu(), label, langs)
    table = scores.totals()
    if rank == 0:
        with open(args.out, "w") as f:
            json.dump(table, f, indent=1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
