import contextlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from generate import SampleEvery


class Small(nn.Module):
    def __init__(self, vocab=32, width=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.out = nn.Linear(width, vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        for block in self.blocks:
            x = x + torch.tanh(block(x))
        return self.out(x)


def main():
    cuda = torch.cuda.is_available()
    kind = "cuda" if cuda else "cpu"
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = Small().to(kind)
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    data = TensorDataset(torch.randint(0, 32, (256, 9), generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    sample, step = SampleEvery(4, torch.zeros(1, 1, dtype=torch.long, device=kind)), 0
    with contextlib.ExitStack() as stack:
        writer = stack.enter_context(open("samples.txt", "w")) if dist.get_rank() == 0 else None
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for (tokens,) in loader:
                tokens = tokens.to(kind)
                loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                step += 1
                sample(step, model, writer)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
