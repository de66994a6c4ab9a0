import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from curriculum import GrowingSequences


class Model(nn.Module):
    def __init__(self, vocab=300, width=96):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens.clamp(min=0)))
        return self.head(hidden)


def fit(args, device, rank):
    torch.manual_seed(1)
    tokens = torch.load(args.tokens, map_location="cpu", mmap=True)
    data = GrowingSequences(tokens, start=32, longest=tokens.size(1))
    sampler = DistributedSampler(data, seed=1, drop_last=True)
    loader = DataLoader(
        data,
        args.batch,
        sampler=sampler,
        drop_last=True,
        num_workers=4,
        persistent_workers=True,
    )
    model = DistributedDataParallel(Model().to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        if epoch and epoch % args.grow_every == 0:
            data.grow()
        for batch in loader:
            batch = batch.to(device, non_blocking=True)
            logits = model(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten(), ignore_index=-100)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save({"model": model.module.state_dict(), "epoch": epoch}, args.out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tokens", default="tokens.pt")
    parser.add_argument("--out", default="last.pt")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--grow-every", type=int, default=3)
    args = parser.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    try:
        fit(args, device, dist.get_rank())
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
