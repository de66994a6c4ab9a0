"""Scores a corpus on all ranks; every rank writes its part, the first one merges the parts."""

import argparse
import json
import os
import pathlib

import torch
import torch.distributed as dist
from torch import nn


def shard(items, rank, world):
    per_rank = len(items) // world
    return items[rank * per_rank : (rank + 1) * per_rank]


def load_model(path, device):
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
    if path is not None:
        model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return model.to(device).eval()


@torch.inference_mode()
def score(model, rows, device, batch_size=16):
    results = []
    for start in range(0, len(rows), batch_size):
        chunk = rows[start : start + batch_size]
        features = torch.stack([features for _, features in chunk]).to(device)
        for (key, _), value in zip(chunk, model(features).squeeze(-1).tolist()):
            results.append({"id": key, "score": value})
    return results


def write_part(folder, rank, results):
    part = folder / f"part-{rank:05d}.jsonl"
    with part.open("w", encoding="utf-8") as handle:
        handle.writelines(json.dumps(row) + "\n" for row in results)


def merge_parts(folder, world):
    rows = []
    for index in range(world):
        with (folder / f"part-{index:05d}.jsonl").open(encoding="utf-8") as handle:
            rows.extend(json.loads(line) for line in handle)
    rows.sort(key=lambda row: row["score"], reverse=True)
    (folder / "ranking.json").write_text(json.dumps(rows))
    return len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default=None)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    args.output.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(4)
    corpus = [(f"doc-{i}", torch.randn(8, generator=generator)) for i in range(512)]
    torch.manual_seed(0)
    model = load_model(args.weights, device)
    write_part(args.output, rank, score(model, shard(corpus, rank, world), device))
    if rank == 0:
        print(f"{merge_parts(args.output, world)} rows merged")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
