import argparse
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler
from transformers import AutoModelForCausalLM, AutoTokenizer, get_cosine_schedule_with_warmup

from corpus import DialogueCorpus


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="dialogues.jsonl")
    parser.add_argument("--model", default="distilgpt2")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=5e-5)
    parser.add_argument("--warmup", type=int, default=200)
    args = parser.parse_args()

    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local_rank))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1234)

    tokenizer = AutoTokenizer.from_pretrained(args.model)
    tokenizer.pad_token = tokenizer.eos_token
    corpus = DialogueCorpus(args.corpus, tokenizer, rank, world)
    sampler = RandomSampler(corpus)
    loader = DataLoader(corpus, batch_size=args.batch_size, sampler=sampler, num_workers=2, drop_last=True)

    model = AutoModelForCausalLM.from_pretrained(args.model).cuda()
    model = DDP(model, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    schedule = get_cosine_schedule_with_warmup(optimizer, args.warmup, len(loader) * args.epochs)

    for epoch in range(args.epochs):
        if isinstance(sampler, DistributedSampler):
            sampler.set_epoch(epoch)
        model.train()
        for step, batch in enumerate(loader):
            batch = {name: value.cuda(non_blocking=True) for name, value in batch.items()}
            loss = model(**batch).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if step % 100 == 0:
                shown = loss.detach().clone()
                dist.all_reduce(shown)
                if rank == 0:
                    print(f"{epoch}/{step} loss {shown.item() / world:.4f}", flush=True)
        if rank == 0:
            model.module.save_pretrained(f"dialogue-{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
