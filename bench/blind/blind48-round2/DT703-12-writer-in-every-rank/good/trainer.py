import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.tensorboard import SummaryWriter


class Trainer:
    def __init__(self, model, loader, device, logdir):
        self.device, self.loader = device, loader
        self.model = DDP(model.to(device), device_ids=[device.index] if device.type == "cuda" else None)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.rank = dist.get_rank()
        self.writer = SummaryWriter(logdir) if self.rank == 0 else None
        self.step = 0

    def log(self, name, value):
        if self.writer is not None:
            self.writer.add_scalar(name, value, self.step)

    def epoch(self, index):
        self.loader.sampler.set_epoch(index)
        total = torch.zeros(1, device=self.device)
        for x, y in self.loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = F.mse_loss(self.model(x.to(self.device)), y.to(self.device))
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
            self.step += 1
        dist.all_reduce(total)
        self.log("train/loss", total.item() / dist.get_world_size() / len(self.loader))
