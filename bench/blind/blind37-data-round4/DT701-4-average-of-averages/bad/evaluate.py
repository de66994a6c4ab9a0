import argparse
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn


def own_files(folder):
    files = sorted(Path(folder).glob("*.npz"))
    return files[dist.get_rank() :: dist.get_world_size()]


@torch.inference_mode()
def word_errors(model, files, device):
    wrong, words = 0.0, 0
    for file in files:
        held = np.load(file)
        guess = model(torch.from_numpy(held["x"]).to(device)).argmax(-1).cpu().numpy()
        wrong += float((guess != held["y"]).sum())
        words += len(held["y"])
    return wrong, words


def mean_over_ranks(value, device):
    value = torch.tensor([value], dtype=torch.float64, device=device)
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="/shared/models/words.pt")
    parser.add_argument("--data", default="/shared/data/words-test")
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    model = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 1000)).to(device)
    model.load_state_dict(torch.load(args.weights, map_location=device))
    model.eval()
    wrong, words = word_errors(model, own_files(args.data), device)
    rate = mean_over_ranks(wrong / words, device)
    if dist.get_rank() == 0:
        print(f"word error rate {rate:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
