import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DistributedSampler, TensorDataset
from torchdata.stateful_dataloader import StatefulDataLoader


def build(data, seed):
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = StatefulDataLoader(
        data,
        batch_size=32,
        sampler=sampler,
        shuffle=True,
        num_workers=2,
        drop_last=True,
    )
    return loader


def main(epochs=2):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(4096, 7)
    loader = build(TensorDataset(x, x.sum(1)), seed=13)
    model = DDP(nn.Linear(7, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
