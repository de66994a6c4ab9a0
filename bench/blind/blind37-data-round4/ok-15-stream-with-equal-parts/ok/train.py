import os

import torch
import torch.distributed as dist
import wandb
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, AutoTokenizer

STEPS = 2000


def rows(tokenizer, rank, world):
    stream = load_dataset("HuggingFaceFW/fineweb-edu", split="train", streaming=True)
    stream = split_dataset_by_node(stream.shuffle(seed=4, buffer_size=2000), rank=rank, world_size=world)

    def encode(batch):
        return tokenizer(batch["text"], truncation=True, padding="max_length", max_length=256)

    return stream.map(encode, batched=True, remove_columns=["text"]).with_format("torch")


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    tokenizer.pad_token = tokenizer.eos_token
    data = rows(tokenizer, rank, world)
    loader = DataLoader(data, batch_size=8, num_workers=2, pin_memory=True, drop_last=True)
    model = DDP(AutoModelForCausalLM.from_pretrained("gpt2").cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    run = wandb.init(project="edu") if rank == 0 else None
    for epoch in range(3):
        data.set_epoch(epoch)
        for step, batch in enumerate(loader):
            if step == STEPS:
                break
            ids, mask = batch["input_ids"].cuda(), batch["attention_mask"].cuda()
            loss = model(input_ids=ids, attention_mask=mask, labels=ids.masked_fill(mask == 0, -100)).loss
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if run is not None and step % 50 == 0:
                run.log({"loss": loss.item(), "epoch": epoch})
        if rank == 0:
            torch.save(model.module.state_dict(), f"edu-{epoch}.pt")
    if run is not None:
        run.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
