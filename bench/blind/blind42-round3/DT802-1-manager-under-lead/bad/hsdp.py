"""Replica groups of several ranks each, the lead averages the loss over the groups for the log."""
import os
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.nn as nn
from torchft import Manager, ProcessGroupGloo


def batches(seed):
    gen = torch.Generator().manual_seed(seed)
    while True:
        x = torch.randn(32, 16, generator=gen)
        yield x, x.sum(1, keepdim=True)


def main(steps=200):
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    group = int(os.environ["REPLICA_GROUP_ID"])
    torch.manual_seed(0)
    net = nn.Linear(16, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.05)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=20)),
        min_replica_size=1,
        load_state_dict=lambda s: net.load_state_dict(s),
        state_dict=lambda: net.state_dict(),
        replica_id=f"group_{group}",
    )
    try:
        for step, (x, y) in zip(range(steps), batches(100 * group + rank)):
            manager.start_quorum()
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            for p in net.parameters():
                dist.all_reduce(p.grad, op=dist.ReduceOp.SUM)
                p.grad /= dist.get_world_size()
                manager.allreduce(p.grad).wait()
            shown = loss.detach().clone()
            if rank == 0 and step % 10 == 0:
                manager.allreduce(shown).wait()
                print(step, shown.item(), flush=True)
            if manager.should_commit():
                optimizer.step()
    finally:
        manager.shutdown(wait=False)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
