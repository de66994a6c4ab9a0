"""Perplexity of a language model over a document set, DDP-style sharded evaluation."""
import argparse
import json
import math
import os

import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM, AutoTokenizer


def documents(path, rank, world):
    with open(path) as fh:
        for number, line in enumerate(fh):
            if number % world == rank:
                yield json.loads(line)["text"]


@torch.no_grad()
def nll_of(model, tokenizer, text, limit):
    ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=limit).input_ids.cuda()
    logits = model(ids).logits[:, :-1].float()
    nll = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), reduction="sum")
    return nll.double(), ids.shape[1] - 1


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True)
    p.add_argument("--documents", required=True)
    p.add_argument("--limit", type=int, default=2048)
    p.add_argument("--report", default="ppl.json")
    args = p.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForCausalLM.from_pretrained(args.model, torch_dtype=torch.bfloat16).cuda().eval()
    total = torch.zeros((), dtype=torch.float64, device="cuda")
    tokens = torch.zeros((), dtype=torch.float64, device="cuda")
    for text in documents(args.documents, rank, world):
        nll, count = nll_of(model, tokenizer, text, args.limit)
        total += nll
        tokens += count
    mean = total / tokens
    dist.all_reduce(mean)
    mean /= world
    if rank == 0:
        with open(args.report, "w") as fh:
            json.dump({"perplexity": math.exp(mean.item())}, fh)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
