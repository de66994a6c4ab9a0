"""torchrun --nnodes 4 --nproc-per-node 8 train.py"""
import os

import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms

from config import TrainConfig


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.batch_size = cfg.global_batch_size // self.world
        tf = transforms.Compose([transforms.RandomResizedCrop(176), transforms.ToTensor()])
        data = torchvision.datasets.ImageFolder(os.path.join(cfg.data, "train"), tf)
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(
            data, self.batch_size, sampler=self.sampler, num_workers=cfg.workers, pin_memory=True, drop_last=True
        )
        self.net = torchvision.models.convnext_tiny(num_classes=365).cuda()
        self.model = DDP(self.net, device_ids=[self.local_rank])
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr, weight_decay=0.05)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, cfg.epochs)
        self.scaler = torch.amp.GradScaler("cuda")

    def epoch(self, number):
        self.sampler.set_epoch(number)
        for images, labels in self.loader:
            images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = torch.nn.functional.cross_entropy(self.model(images), labels, label_smoothing=0.1)
            self.optimizer.zero_grad(set_to_none=True)
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        self.schedule.step()

    def run(self):
        for number in range(self.cfg.epochs):
            self.epoch(number)
            if self.rank == 0:
                torch.save({"model": self.net.state_dict(), "epoch": number}, "last.pt")
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    Trainer(TrainConfig()).run()
