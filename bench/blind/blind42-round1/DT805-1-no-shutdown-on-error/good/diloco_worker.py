"""LocalSGD worker: inner AdamW steps, parameters averaged every sync_every steps by torchft."""
import argparse
import logging
import os
from datetime import timedelta

import torch
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo
from torchft.local_sgd import LocalSGD

log = logging.getLogger("worker")


class Copy(nn.Module):
    def __init__(self, vocab=64, width=96):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


def batches(group, size, length=32):
    gen = torch.Generator().manual_seed(1000 + group)
    while True:
        yield torch.randint(0, 64, (size, length), generator=gen)


def train(manager, net, optimizer, args, group):
    with LocalSGD(manager, net, optimizer, sync_every=args.sync_every):
        for ids in batches(group, args.batch):
            loss = nn.functional.cross_entropy(net(ids).flatten(0, 1), ids.flatten())
            if not torch.isfinite(loss):
                raise RuntimeError("loss is not finite")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if manager.current_step() >= args.rounds:
                return


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rounds", type=int, default=200)
    ap.add_argument("--sync-every", type=int, default=16)
    ap.add_argument("--batch", type=int, default=32)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO)
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = Copy()
    optimizer = torch.optim.AdamW(net.parameters(), 1e-3)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=30)),
        min_replica_size=2,
        use_async_quorum=False,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), optimizer.load_state_dict(s["optim"])),
        state_dict=lambda: {"net": net.state_dict(), "optim": optimizer.state_dict()},
        replica_id=f"copy_{group}",
    )
    try:
        train(manager, net, optimizer, args, group)
        log.info("finished after %d rounds", manager.current_step())
    finally:
        manager.shutdown(wait=False)


if __name__ == "__main__":
    main()
