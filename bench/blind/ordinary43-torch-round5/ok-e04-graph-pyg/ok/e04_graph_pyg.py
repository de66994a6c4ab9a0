"""PyG neighbour loading: seeds split by rank with tensor split, equal parts; barrier per epoch."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch_geometric.datasets import Reddit
from torch_geometric.loader import NeighborLoader
from torch_geometric.nn import SAGEConv


class SAGE(torch.nn.Module):
    def __init__(self, i, h, o):
        super().__init__()
        self.convs = torch.nn.ModuleList([SAGEConv(i, h), SAGEConv(h, o)])

    def forward(self, x, edge_index):
        for k, conv in enumerate(self.convs):
            x = conv(x, edge_index)
            if k < len(self.convs) - 1:
                x = F.dropout(x.relu(), 0.5, self.training)
        return x


def run(rank, world, data, features, classes):
    os.environ["MASTER_ADDR"] = "localhost"
    os.environ["MASTER_PORT"] = "12355"
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=world)
    index = data.train_mask.nonzero().view(-1)
    each = index.numel() // world
    index = index[rank * each : (rank + 1) * each]
    loader = NeighborLoader(data, num_neighbors=[25, 10], batch_size=1024, input_nodes=index, shuffle=True, drop_last=True)
    torch.manual_seed(12345)
    model = DistributedDataParallel(SAGE(features, 256, classes).to(rank), device_ids=[rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(1, 21):
        model.train()
        for batch in loader:
            batch = batch.to(rank)
            out = model(batch.x, batch.edge_index)[: batch.batch_size]
            loss = F.cross_entropy(out, batch.y[: batch.batch_size])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        dist.barrier()
        if rank == 0:
            print(f"epoch {epoch:02d} rank-0 loss {loss:.4f}")
            torch.save(model.module.state_dict(), "sage.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    dataset = Reddit("data/Reddit")
    world = torch.cuda.device_count()
    mp.spawn(run, args=(world, dataset[0], dataset.num_features, dataset.num_classes), nprocs=world, join=True)
