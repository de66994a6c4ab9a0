"""Named entities with DDP; the schedule moves once per update."""
import argparse
import math
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import (
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorForTokenClassification,
    get_polynomial_decay_schedule_with_warmup,
)


def encoded(tokenizer):
    rows = load_dataset("conll2003", split="train")

    def encode(batch):
        out = tokenizer(batch["tokens"], is_split_into_words=True, truncation=True)
        out["labels"] = []
        for number, tags in enumerate(batch["ner_tags"]):
            previous, labels = None, []
            for word in out.word_ids(number):
                labels.append(-100 if word is None or word == previous else tags[word])
                previous = word
            out["labels"].append(labels)
        return out

    return rows.map(encode, batched=True, remove_columns=rows.column_names)


def main():
    cli = argparse.ArgumentParser()
    cli.add_argument("--epochs", type=int, default=4)
    cli.add_argument("--batch-size", type=int, default=8)
    cli.add_argument("--accumulate", type=int, default=4)
    cli.add_argument("--lr", type=float, default=4e-5)
    args = cli.parse_args()

    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained("roberta-base", add_prefix_space=True)
    rows = encoded(tokenizer)
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(
        rows, args.batch_size, sampler=sampler, collate_fn=DataCollatorForTokenClassification(tokenizer), drop_last=True
    )
    model = AutoModelForTokenClassification.from_pretrained("roberta-base", num_labels=9).cuda()
    model = DDP(model, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    per_epoch = len(loader) // args.accumulate * args.accumulate
    total = per_epoch * args.epochs
    schedule = get_polynomial_decay_schedule_with_warmup(optimizer, math.ceil(0.06 * total), total, power=1.0)

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        model.train()
        for index, batch in enumerate(loader):
            if index == per_epoch:
                break
            batch = batch.to("cuda")
            update = (index + 1) % args.accumulate == 0
            model.require_backward_grad_sync = update
            (model(**batch).loss / args.accumulate).backward()
            if update:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                schedule.step()
                optimizer.zero_grad(set_to_none=True)
        if dist.get_rank() == 0:
            model.module.save_pretrained(f"ner-{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
