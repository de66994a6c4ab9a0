import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from fit import Fitter


def split(start, stop):
    x = torch.randn(stop, 7, generator=torch.Generator().manual_seed(17))[start:]
    return TensorDataset(x, x.norm(dim=1, keepdim=True))


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(7, 64), nn.ReLU(), nn.Linear(64, 1)).to(device))
    train, valid, test = split(0, 512), split(512, 640), split(640, 768)
    sampler = DistributedSampler(train, drop_last=True)
    fitter = Fitter(model, device, "runs/norm")
    evaluation = [DataLoader(part, 32, sampler=DistributedSampler(part, shuffle=False)) for part in (valid, test)]
    fitter.fit(DataLoader(train, 32, sampler=sampler, drop_last=True), sampler, evaluation[0], epochs=3)
    error = fitter.test(evaluation[1])
    if dist.get_rank() == 0:
        print(f"test error {error:.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
