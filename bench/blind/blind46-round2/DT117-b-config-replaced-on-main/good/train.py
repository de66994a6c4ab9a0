import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from config import ModelConfig, for_rank
from model import Net


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    cfg = for_rank(ModelConfig(), dist.get_rank())
    torch.manual_seed(0)
    net = Net(cfg).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(600, cfg.dim, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x[:, : cfg.classes].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for bx, by in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(bx.to(device)), by.to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
