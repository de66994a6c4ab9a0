import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from net import SegNet


class Shapes(Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image = torch.rand(3, 16, 16, generator=g)
        mask = (image.mean(0, keepdim=True) > 0.5).float()
        edge = (mask - mask.roll(1, -1)).abs()
        return image, mask, edge


class Runner:
    def __init__(self):
        self.cuda = torch.cuda.is_available()
        local = int(os.environ["LOCAL_RANK"])
        if self.cuda:
            torch.cuda.set_device(local)
        dist.init_process_group("nccl" if self.cuda else "gloo")
        self.device = torch.device("cuda", local) if self.cuda else torch.device("cpu")
        torch.manual_seed(0)
        net = SegNet().to(self.device)
        self.model = DistributedDataParallel(net, device_ids=[local] if self.cuda else None)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05, momentum=0.9)
        data = Shapes()
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(data, batch_size=8, sampler=self.sampler, drop_last=True)
        self.step = 0

    def loss(self, out, mask, edge):
        total = F.binary_cross_entropy_with_logits(out["mask"], mask)
        if "edge" in out:
            total = total + 0.2 * F.binary_cross_entropy_with_logits(out["edge"], edge)
        return total

    def epoch(self, number: int):
        self.sampler.set_epoch(number)
        for image, mask, edge in self.loader:
            image, mask, edge = (t.to(self.device) for t in (image, mask, edge))
            self.opt.zero_grad(set_to_none=True)
            self.loss(self.model(image, self.step), mask, edge).backward()
            self.opt.step()
            self.step += 1


def main():
    runner = Runner()
    for number in range(3):
        runner.epoch(number)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
