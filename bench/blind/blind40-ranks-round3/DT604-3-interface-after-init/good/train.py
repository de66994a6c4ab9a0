import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from cluster import connect


def main():
    local_rank = connect()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(40, 120), nn.ReLU(), nn.Linear(120, 8)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(1600, 40, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :8].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=40, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb.cuda(non_blocking=True)), yb.cuda(non_blocking=True))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
