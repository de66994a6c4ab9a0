import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

LAST = Path("/shared/radar/last.pt")


class Trainer:
    def __init__(self):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.device = torch.device("cuda", self.local_rank)
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 3)).to(self.device)
        self.ema = torch.optim.swa_utils.AveragedModel(net)
        self.model = DDP(net, device_ids=[self.local_rank])
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cuda")
        self.first = 0

    def parts(self):
        return {"model": self.model.module, "ema": self.ema, "opt": self.opt, "scaler": self.scaler}

    def resume(self):
        if not LAST.exists():
            return
        saved = torch.load(LAST, weights_only=True)
        for name, part in self.parts().items():
            part.load_state_dict(saved[name])
        self.first = saved["epoch"] + 1

    def save(self, epoch):
        if dist.get_rank() == 0:
            torch.save({"epoch": epoch, **{k: v.state_dict() for k, v in self.parts().items()}}, LAST)
        dist.barrier()

    def epoch(self, loader):
        for x, y in loader:
            self.opt.zero_grad(set_to_none=True)
            with torch.autocast("cuda", dtype=torch.float16):
                loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            self.scaler.scale(loss).backward()
            self.scaler.step(self.opt)
            self.scaler.update()
            self.ema.update_parameters(self.model.module)


def main(epochs=12):
    trainer = Trainer()
    trainer.resume()
    gen = torch.Generator().manual_seed(72)
    data = TensorDataset(torch.randn(6144, 128, generator=gen), torch.randint(0, 3, (6144,), generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True, pin_memory=True)
    for epoch in range(trainer.first, epochs):
        sampler.set_epoch(epoch)
        trainer.epoch(loader)
        trainer.save(epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
