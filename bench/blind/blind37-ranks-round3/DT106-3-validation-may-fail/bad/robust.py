import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("robust")


class Validator:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    @torch.no_grad()
    def __call__(self, net):
        sums = torch.zeros(2, device=self.device)
        net.eval()
        for x, y in self.loader:
            out = net(x.to(self.device))
            if out.isnan().any():
                raise ValueError("the network answers NaN")
            sums[0] += nn.functional.l1_loss(out, y.to(self.device), reduction="sum")
            sums[1] += y.numel()
        net.train()
        dist.all_reduce(sums)
        return (sums[0] / sums[1]).item()


def make(seed, n):
    x = torch.randn(n, 10, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x.prod(1, keepdim=True))


def main():
    logging.basicConfig(level=logging.INFO)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    train = make(0, 640)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, drop_last=True)
    held = make(1, 160)
    validate = Validator(DataLoader(held, batch_size=16, sampler=DistributedSampler(held, shuffle=False)), device)
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.l1_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        try:
            score = validate(net)
        except ValueError:
            log.exception("no validation in epoch %d", epoch)
            continue
        if dist.get_rank() == 0:
            log.info("epoch %d: %.4f", epoch, score)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "robust.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
