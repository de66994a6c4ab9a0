import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from attempt import attempt
from corpus import Corpus


class Learner:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    @attempt
    def step(self, tokens):
        logits = self.model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return loss.detach()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    corpus = Corpus(length=65)
    sampler = DistributedSampler(corpus, drop_last=True)
    loader = DataLoader(corpus, batch_size=args.batch, sampler=sampler, drop_last=True)
    model = nn.Sequential(nn.Embedding(256, 64), nn.Linear(64, 256)).cuda()
    learner = Learner(DistributedDataParallel(model, device_ids=[local]), 3e-4)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for tokens in loader:
            outcome = learner.step(tokens.cuda(non_blocking=True))
            if outcome.failed:
                continue
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
