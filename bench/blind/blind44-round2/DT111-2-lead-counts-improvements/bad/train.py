import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from nets import Gate
from rotation import Rotation


def main(epochs=8):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = Gate(12).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(768, 12, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    rotation = Rotation("ckpts", keep=3)
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            opt.zero_grad()
            (model(x.to(device)) - 1).square().mean().backward()
            opt.step()
            step += 1
        rotation.save(net, step)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
