"""Continued pre-training on a streamed hub corpus with FSDP2; packing happens in the collator."""
import itertools
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

BASE = "Qwen/Qwen2.5-0.5B"
LENGTH = 1024
MICRO = 4
STEPS = 5000


class Packer:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, rows):
        out = self.tokenizer(
            [row["text"] for row in rows], truncation=True, padding="max_length", max_length=LENGTH, return_tensors="pt"
        )
        labels = out.input_ids.masked_fill(out.attention_mask == 0, -100)
        return {"input_ids": out.input_ids, "attention_mask": out.attention_mask, "labels": labels}


def stream(name, rank, world, seed):
    rows = load_dataset(name, split="train", streaming=True)
    rows = rows.shuffle(seed=seed, buffer_size=20_000)
    return rows.repeat(None)


def shard(model, mesh):
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    return model


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    rank, world = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh("cuda", (world,))

    torch.manual_seed(7)
    tokenizer = AutoTokenizer.from_pretrained(BASE)
    model = AutoModelForCausalLM.from_pretrained(BASE, torch_dtype=torch.float32).to(device)
    model = shard(model, mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5, betas=(0.9, 0.95))
    rows = stream("HuggingFaceFW/fineweb-edu", rank, world, seed=7)
    loader = DataLoader(rows, batch_size=MICRO, collate_fn=Packer(tokenizer), num_workers=2, drop_last=True)

    for step, batch in enumerate(itertools.islice(loader, STEPS)):
        batch = {name: value.to(device, non_blocking=True) for name, value in batch.items()}
        loss = model(**batch, use_cache=False).loss
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if step % 50 == 0:
            shown = loss.detach().clone()
            dist.all_reduce(shown, op=dist.ReduceOp.AVG)
            if rank == 0:
                print(f"{step:6d} {shown.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
