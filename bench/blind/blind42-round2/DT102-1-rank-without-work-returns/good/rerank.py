"""Scores query/document pairs in parallel and collects the scores on rank 0."""
import argparse
import json
import os

import torch
import torch.distributed as dist
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def my_share(rows):
    rank, world = dist.get_rank(), dist.get_world_size()
    per_rank = -(-len(rows) // world)
    return rows[rank * per_rank : (rank + 1) * per_rank]


@torch.no_grad()
def scores_of(model, tokenizer, rows, batch=64):
    out = []
    for at in range(0, len(rows), batch):
        part = rows[at : at + batch]
        inputs = tokenizer([r["query"] for r in part], [r["text"] for r in part], padding=True, truncation=True, return_tensors="pt")
        out += model(**inputs.to("cuda")).logits[:, 0].tolist()
    return out


def run(args):
    with open(args.pairs) as fh:
        rows = [json.loads(line) for line in fh]
    mine = my_share(rows)
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForSequenceClassification.from_pretrained(args.model).cuda().eval()
    scores = scores_of(model, tokenizer, mine)
    collected = [None] * dist.get_world_size() if dist.get_rank() == 0 else None
    dist.gather_object(scores, collected, dst=0)
    if dist.get_rank() == 0:
        with open(args.out, "w") as fh:
            json.dump([s for part in collected for s in part], fh)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pairs", required=True)
    ap.add_argument("--model", default="cross-encoder/ms-marco-MiniLM-L-6-v2")
    ap.add_argument("--out", default="scores.json")
    args = ap.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    run(args)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
