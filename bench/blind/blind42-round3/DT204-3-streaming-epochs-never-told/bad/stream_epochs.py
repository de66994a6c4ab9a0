"""Several epochs over a streamed, node-split dataset."""
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling


def corpus(tokenizer, length=256):
    rows = load_dataset("wikimedia/wikipedia", "20231101.en", split="train", streaming=True)
    rows = rows.shuffle(seed=7, buffer_size=20_000)
    rows = split_dataset_by_node(rows, rank=dist.get_rank(), world_size=dist.get_world_size())
    encode = lambda row: tokenizer(row["text"], truncation=True, max_length=length, padding="max_length")
    return rows.map(encode, remove_columns=["id", "url", "title", "text"])


def main(epochs=3, steps=20_000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tokenizer = AutoTokenizer.from_pretrained("bert-base-cased")
    rows = corpus(tokenizer)
    collate = DataCollatorForLanguageModeling(tokenizer, mlm_probability=0.15)
    loader = DataLoader(rows, batch_size=32, collate_fn=collate, drop_last=True)
    model = DDP(AutoModelForMaskedLM.from_pretrained("bert-base-cased").cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-5)
    for epoch in range(epochs):
        for step, batch in zip(range(steps), loader):
            batch = {k: v.cuda(non_blocking=True) for k, v in batch.items()}
            loss = model(**batch).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            model.module.save_pretrained(f"mlm/epoch_{epoch}")
            print(epoch, step, flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
