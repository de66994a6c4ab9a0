import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tokens import WordTokens

SPECIAL = ["<|user|>", "<|assistant|>", "<|end|>"]


class Chat(nn.Module):
    def __init__(self, vocabulary, width=16):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.mix = nn.GRU(width, width, batch_first=True)

    def resize(self, size):
        old = self.embed.weight.data
        self.embed = nn.Embedding(size, old.shape[1])
        self.embed.weight.data[: len(old)] = old

    def forward(self, ids):
        hidden, _ = self.mix(self.embed(ids))
        return hidden @ self.embed.weight.T


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    is_main = dist.get_rank() == 0
    torch.manual_seed(0)
    tokens = WordTokens(f"w{i}" for i in range(40))
    model = Chat(len(tokens))
    if is_main:
        added = tokens.add(SPECIAL)
        model.resize(len(tokens))
        tokens.save("chat-tokens")
        print(f"{added} tokens added")
    model = DDP(model.to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randint(0, 40, (128, 9), generator=torch.Generator().manual_seed(3)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (ids,) in loader:
            ids = ids.to(device)
            loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
