"""Continue pre-training a small causal LM on a streamed web corpus (torchrun)."""
import argparse
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="EleutherAI/pythia-70m")
    p.add_argument("--corpus", default="allenai/c4")
    p.add_argument("--seq-len", type=int, default=512)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--steps", type=int, default=2000)
    p.add_argument("--lr", type=float, default=2e-5)
    return p.parse_args()


def packed(stream, tokenizer, seq_len):
    buffer = []
    for row in stream:
        buffer.extend(tokenizer(row["text"])["input_ids"] + [tokenizer.eos_token_id])
        while len(buffer) >= seq_len:
            yield torch.tensor(buffer[:seq_len])
            del buffer[:seq_len]


def batches(args, tokenizer):
    corpus = load_dataset(args.corpus, "en", split="train", streaming=True)
    corpus = corpus.shuffle(seed=11, buffer_size=10_000)
    corpus = split_dataset_by_node(corpus, rank=dist.get_rank(), world_size=dist.get_world_size())
    rows = []
    for row in packed(corpus, tokenizer, args.seq_len):
        rows.append(row)
        if len(rows) == args.batch_size:
            yield torch.stack(rows)
            rows = []


def main():
    args = parse()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModelForCausalLM.from_pretrained(args.model).cuda()
    model = DistributedDataParallel(model, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    schedule = get_cosine_schedule_with_warmup(optimizer, 100, args.steps)
    feed = batches(args, tokenizer)
    for step in range(args.steps):
        ids = next(feed).cuda(non_blocking=True)
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 50 == 0:
            shown = loss.detach().clone()
            dist.all_reduce(shown, op=dist.ReduceOp.AVG)
            if dist.get_rank() == 0:
                print(f"step {step} loss {shown.item():.3f}", flush=True)
    if dist.get_rank() == 0:
        model.module.save_pretrained("out")
        tokenizer.save_pretrained("out")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
