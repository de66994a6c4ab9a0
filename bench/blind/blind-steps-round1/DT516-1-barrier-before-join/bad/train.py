import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from corpus import load_corpus, prepare_corpus


class TinyLM(nn.Module):
    def __init__(self, vocab=256, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, tokens):
        return self.head(self.mix(self.embed(tokens))[0])


def start():
    local = int(os.environ["LOCAL_RANK"])
    if torch.cuda.is_available():
        torch.cuda.set_device(local)
        dist.init_process_group("nccl")
        return torch.device("cuda", local)
    dist.init_process_group("gloo")
    return torch.device("cpu")


def main():
    rank = int(os.environ["RANK"])
    path = prepare_corpus(rank)
    device = start()
    torch.manual_seed(0)
    model = DistributedDataParallel(TinyLM().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = load_corpus(path)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for tokens, targets in loader:
            optimizer.zero_grad(set_to_none=True)
            logits = model(tokens.to(device))
            nn.functional.cross_entropy(logits.flatten(0, 1), targets.to(device).flatten()).backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "tinylm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
