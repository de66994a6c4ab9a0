import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup

from data import StreamConfig, make_loader, open_stream, tokenised


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="gpt2")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--steps-per-epoch", type=int, default=2000)
    parser.add_argument("--lr", type=float, default=3e-4)
    return parser.parse_args()


def train_epoch(model, loader, optimizer, schedule, device, limit):
    model.train()
    for step, batch in enumerate(loader):
        if step == limit:
            break
        ids = batch["input_ids"].to(device, non_blocking=True)
        mask = batch["attention_mask"].to(device, non_blocking=True)
        labels = ids.masked_fill(mask == 0, -100)
        loss = model(input_ids=ids, attention_mask=mask, labels=labels).loss
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def main():
    args = parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)

    cfg = StreamConfig()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    tokenizer.pad_token = tokenizer.eos_token
    stream = open_stream(cfg, dist.get_rank(), dist.get_world_size())
    loader = make_loader(cfg, tokenised(stream, tokenizer))

    model = DDP(AutoModelForCausalLM.from_pretrained(args.model).to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    schedule = get_cosine_schedule_with_warmup(optimizer, 200, args.epochs * args.steps_per_epoch)
    for epoch in range(args.epochs):
        stream.set_epoch(epoch)
        train_epoch(model, loader, optimizer, schedule, device, args.steps_per_epoch)
        if dist.get_rank() == 0:
            model.module.save_pretrained(f"out/epoch{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
