import argparse
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling


def stream(args, tokenizer):
    raw = load_dataset("json", data_files={"train": args.files}, split="train", streaming=True)
    raw = raw.shuffle(seed=args.seed, buffer_size=10_000)
    raw = split_dataset_by_node(raw, rank=dist.get_rank(), world_size=dist.get_world_size())
    return raw.map(
        lambda rows: tokenizer(rows["text"], truncation=True, max_length=128),
        batched=True,
        remove_columns=["text"],
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", nargs="+", required=True)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--steps-per-epoch", type=int, default=2000)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(args.seed)
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    data = stream(args, tokenizer)
    loader = DataLoader(data, batch_size=32, collate_fn=collate, drop_last=True)
    model = AutoModelForMaskedLM.from_pretrained("bert-base-uncased").cuda()
    model = DDP(model, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)

    for epoch in range(args.epochs):
        data.set_epoch(epoch)
        batches = iter(loader)
        for _ in range(args.steps_per_epoch):
            batch = {k: v.cuda(non_blocking=True) for k, v in next(batches).items()}
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        model.module.save_pretrained("mlm-out")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
