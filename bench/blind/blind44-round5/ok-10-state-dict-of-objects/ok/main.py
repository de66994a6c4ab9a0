import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from snap.shot import Snapshot


class Clock:
    def __init__(self):
        self.epoch = 0

    def state_dict(self):
        return {"epoch": self.epoch}

    def load_state_dict(self, state):
        self.epoch = state["epoch"]


def main(epochs=5):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.1), nn.Linear(16, 1)).to(device)
    opt, clock = torch.optim.Adam(net.parameters()), Clock()
    snapshot = Snapshot("/nfs/run9", net=net, opt=opt, clock=clock)
    if not snapshot.load(device):
        torch.manual_seed(1 + dist.get_rank())
    model = DDP(net, device_ids=[device.index] if cuda else None)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    while clock.epoch < epochs:
        sampler.set_epoch(clock.epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        clock.epoch += 1
        snapshot.save()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
