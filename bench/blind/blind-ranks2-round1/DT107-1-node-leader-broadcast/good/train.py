import argparse

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from topology import connect


def share_vocab_table(topo, size, dim):
    """Only the leader of a host pays for building the table."""
    if topo.rank == topo.leader:
        generator = torch.Generator().manual_seed(5)
        table = torch.randn(size, dim, generator=generator).to(topo.device)
    else:
        table = torch.empty(size, dim, device=topo.device)
    dist.broadcast(table, src=topo.leader, group=topo.node_group)
    return table


class Tagger(nn.Module):
    def __init__(self, table, classes):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(table, freeze=True)
        self.head = nn.Linear(table.shape[1], classes)

    def forward(self, tokens):
        return self.head(self.embed(tokens).mean(dim=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--per-node", type=int, default=None)
    args = parser.parse_args()

    topo = connect(args.per_node)
    torch.manual_seed(1)
    table = share_vocab_table(topo, 100, 16)
    model = Tagger(table, 4).to(topo.device)
    ddp = DistributedDataParallel(model, device_ids=[topo.device.index] if topo.device.index is not None else None)
    optimizer = torch.optim.SGD(ddp.module.head.parameters(), lr=0.1)

    generator = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randint(0, 100, (256, 12), generator=generator), torch.randint(0, 4, (256,), generator=generator))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for tokens, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(ddp(tokens.to(topo.device)), labels.to(topo.device))
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
