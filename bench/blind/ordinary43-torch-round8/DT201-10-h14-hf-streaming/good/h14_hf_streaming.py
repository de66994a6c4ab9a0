import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from transformers import AutoTokenizer


def main():
    rank, world, local = start()
    tokenizer = AutoTokenizer.from_pretrained("gpt2")
    raw = load_dataset("allenai/c4", "en", split="train", streaming=True)
    raw = raw.shuffle(seed=42, buffer_size=10_000)
    raw = split_dataset_by_node(raw, rank=rank, world_size=world)

    def tokens(row):
        return {"input_ids": tokenizer(row["text"], truncation=True, max_length=128, padding="max_length")["input_ids"]}

    tokenizer.pad_token = tokenizer.eos_token
    data = raw.map(tokens, remove_columns=["text", "timestamp", "url"]).with_format("torch")
    loader = DataLoader(data, batch_size=8, num_workers=2, drop_last=True)
    net = nn.Sequential(nn.Embedding(50257, 64), nn.Linear(64, 50257)).cuda()
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    step, epoch = 0, 0
    while step < 10_000:
        data.set_epoch(epoch)
        for batch in loader:
            x = batch["input_ids"].cuda()
            loss = nn.functional.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 1000 == 0 and rank == 0:
                torch.save(net.state_dict(), f"c4-{step}.pt")
            if step >= 10_000:
                break
        epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
