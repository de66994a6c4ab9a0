import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from transformers import AutoModelForCausalLM, AutoTokenizer


def build_dataset(tokenizer, length, rank, world):
    raw = load_dataset("json", data_files="train.jsonl", split="train")
    raw = raw.shuffle(seed=17)

    def encode(batch):
        return tokenizer(batch["text"], truncation=True, max_length=length, padding="max_length")

    return raw.map(encode, batched=True, remove_columns=raw.column_names).with_format("torch")


def main(name="distilgpt2", epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(name)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(name).to(local)
    model = DDP(model, device_ids=[local])
    opt = torch.optim.AdamW(model.parameters(), lr=5e-5)
    data = build_dataset(tokenizer, 256, rank, world)
    sampler = DistributedSampler(data, num_replicas=world, rank=rank, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            batch = {k: v.to(local) for k, v in batch.items()}
            loss = model(**batch, labels=batch["input_ids"]).loss
            opt.zero_grad()
            loss.backward()
            opt.step()
    if rank == 0:
        model.module.save_pretrained("sft")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
