"""First rank downloads, the others wait; a context manager does the waiting."""
import contextlib
import os
import urllib.request

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

URL = "https://example.org/shakespeare.txt"


@contextlib.contextmanager
def rank_zero_first():
    rank = dist.get_rank()
    if rank != 0:
        dist.barrier()
    yield
    if rank == 0:
        dist.barrier()


class Characters(Dataset):
    def __init__(self, path, block=64):
        if not os.path.exists(path):
            urllib.request.urlretrieve(URL, path)
        with open(path) as f:
            text = f.read()
        vocabulary = sorted(set(text))
        self.size = len(vocabulary)
        index = {c: i for i, c in enumerate(vocabulary)}
        self.tokens = torch.tensor([index[c] for c in text])
        self.block = block

    def __len__(self):
        return (len(self.tokens) - 1) // self.block

    def __getitem__(self, i):
        piece = self.tokens[i * self.block : (i + 1) * self.block + 1]
        return piece[:-1], piece[1:]


class Net(torch.nn.Module):
    def __init__(self, vocabulary, width=128):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.rnn = torch.nn.GRU(width, width, batch_first=True)
        self.out = torch.nn.Linear(width, vocabulary)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    with rank_zero_first():
        data = Characters("shakespeare.txt")
    sampler = DistributedSampler(data, seed=1)
    loader = DataLoader(data, batch_size=32, sampler=sampler)
    model = DDP(Net(data.size))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(loader):
            logits = model(x)
            loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if step % 100 == 0 and dist.get_rank() == 0:
                print(f"[rank 0] epoch {epoch} step {step} local loss {loss.item():.3f}")
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "char.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
