"""Character-free RNN language model on one text file."""
import argparse
import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from tokenise import vocabulary


class RNN(nn.Module):
    def __init__(self, vocab, width=384):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("corpus", type=Path)
    ap.add_argument("--work", type=Path, default=Path("work"))
    ap.add_argument("--epochs", type=int, default=4)
    args = ap.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    args.work.mkdir(parents=True, exist_ok=True)
    tokenizer = vocabulary(args.corpus, args.work / "bpe.json")
    ids = torch.tensor(tokenizer.encode(args.corpus.read_text()).ids)
    rows = ids[: len(ids) // 129 * 129].view(-1, 129)
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(RNN(tokenizer.get_vocab_size()).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (row,) in loader:
            row = row.cuda()
            loss = nn.functional.cross_entropy(model(row[:, :-1]).flatten(0, 1), row[:, 1:].flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), args.work / "rnn.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
