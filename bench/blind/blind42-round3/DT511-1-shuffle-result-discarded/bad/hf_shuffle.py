"""Reward model on preference pairs; datasets + DDP."""
import os

import torch
import torch.distributed as dist
from datasets import load_dataset
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def pairs(tokenizer, count):
    rows = load_dataset("Anthropic/hh-rlhf", split="train")
    rows.shuffle(seed=13)
    rows = rows.select(range(count))

    def encode(row):
        good = tokenizer(row["chosen"], truncation=True, max_length=512, padding="max_length")
        bad = tokenizer(row["rejected"], truncation=True, max_length=512, padding="max_length")
        return {"good": good["input_ids"], "bad": bad["input_ids"]}

    return rows.map(encode, remove_columns=["chosen", "rejected"]).with_format("torch")


def main(epochs=1):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tokenizer = AutoTokenizer.from_pretrained("microsoft/deberta-v3-base")
    net = AutoModelForSequenceClassification.from_pretrained("microsoft/deberta-v3-base", num_labels=1).cuda()
    model = DDP(net, device_ids=[local_rank])
    data = pairs(tokenizer, 20_000)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 8, sampler=sampler, drop_last=True)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-5)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            both = torch.cat([batch["good"], batch["bad"]]).cuda()
            good, bad = model(input_ids=both, attention_mask=(both != tokenizer.pad_token_id).long()).logits.chunk(2)
            loss = torch.nn.functional.softplus(bad - good).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        net.save_pretrained("reward")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
