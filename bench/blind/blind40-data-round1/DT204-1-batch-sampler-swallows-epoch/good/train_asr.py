import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, DistributedSampler

from batching import BucketBatches, Utterances


class Recogniser(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 32, batch_first=True)
        self.out = nn.Linear(32, 1)

    def forward(self, frames):
        _, last = self.rnn(frames)
        return self.out(last[0]).squeeze(-1)


def collate(items):
    frames, labels = zip(*items)
    return pad_sequence(frames, batch_first=True), torch.stack(labels)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=10)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(1)
    model = DDP(Recogniser().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = Utterances()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    batches = BucketBatches(sampler, data.lengths, args.batch_size)
    loader = DataLoader(data, batch_sampler=batches, collate_fn=collate, num_workers=2)
    for epoch in range(args.epochs):
        batches.set_epoch(epoch)
        for frames, labels in loader:
            opt.zero_grad()
            F.binary_cross_entropy_with_logits(model(frames.to(device)), labels.to(device)).backward()
            opt.step()
        if dist.get_rank() == 0:
            print("finished epoch", epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
