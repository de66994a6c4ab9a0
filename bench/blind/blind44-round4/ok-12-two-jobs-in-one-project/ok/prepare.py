import glob
import os

import torch


def main():
    os.makedirs("prepared", exist_ok=True)
    for i, path in enumerate(glob.glob("raw/*.txt")):
        with open(path, encoding="utf-8") as f:
            rows = torch.tensor([[float(v) for v in line.split()] for line in f])
        torch.save(rows, f"prepared/{i:04d}.pt")


if __name__ == "__main__":
    main()
