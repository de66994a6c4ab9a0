import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoint import Checkpoint


def main(epochs=8):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(11, 33), nn.GELU(), nn.Linear(33, 1)).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    checkpoint = Checkpoint(os.environ.get("CKPT", "last.pt"), dist.get_rank())
    first = checkpoint.resume(net, opt, device)
    # DDP sends the weights of rank 0 to the others
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    x = torch.randn(704, 11, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x.max(1, keepdim=True).values)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=22, sampler=sampler, drop_last=True)
    for epoch in range(first, epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
        checkpoint.save(epoch, net, opt)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
