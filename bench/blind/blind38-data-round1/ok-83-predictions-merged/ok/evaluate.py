"""Scores a test set over all ranks: one prediction file per rank, one merged file and one report at the end."""
import argparse
import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Numbered(Dataset):
    def __init__(self, path, rank, world):
        lines = Path(path).read_text().splitlines()
        self.rows = [(number, json.loads(lines[number])) for number in range(rank, len(lines), world)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        number, row = self.rows[index]
        return number, torch.tensor(row["x"]), row["y"]


def merge(folder, world):
    rows = []
    for rank in range(world):
        rows += [json.loads(line) for line in (folder / f"part-{rank:03d}.jsonl").read_text().splitlines()]
    rows.sort(key=lambda row: row["number"])
    with open(folder / "predictions.jsonl", "w") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)


@torch.inference_mode()
def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--rows", default="test.jsonl")
    cli.add_argument("--weights", default="classifier.pt")
    cli.add_argument("--out", type=Path, default=Path("scores"))
    cli.add_argument("--classes", type=int, default=5)
    args = cli.parse_args()

    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    args.out.mkdir(parents=True, exist_ok=True)
    model = nn.Linear(16, args.classes)
    model.load_state_dict(torch.load(args.weights, map_location="cpu", weights_only=True))
    model.eval()

    table = torch.zeros(args.classes, args.classes, dtype=torch.long)
    with open(args.out / f"part-{rank:03d}.jsonl", "w") as part:
        for numbers, x, y in DataLoader(Numbered(args.rows, rank, world), batch_size=32):
            guess = model(x).argmax(dim=1)
            table.index_put_((y, guess), torch.ones_like(y), accumulate=True)
            for number, label in zip(numbers.tolist(), guess.tolist()):
                part.write(json.dumps({"number": number, "label": label}) + "\n")
    dist.all_reduce(table)
    dist.barrier()
    if rank == 0:
        merge(args.out, world)
        accuracy = table.diag().sum().item() / table.sum().item()
        (args.out / "report.json").write_text(json.dumps({"accuracy": accuracy, "confusion": table.tolist()}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
