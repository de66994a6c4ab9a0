import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler


class Trainer:
    def __init__(self, net, data, folder, epochs=30, batch_size=64):
        self.local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl")
        self.device = torch.device("cuda", self.local_rank)
        self.folder, self.epochs, self.first = Path(folder), epochs, 0
        self.net = net.to(self.device)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.sampler = DistributedSampler(data, shuffle=True, drop_last=True)
        self.loader = DataLoader(data, batch_size=batch_size, sampler=self.sampler, num_workers=4, drop_last=True)
        self.resume()
        self.model = DDP(self.net, device_ids=[self.local_rank])

    @property
    def latest(self):
        return self.folder / "latest.pt"

    def resume(self):
        found = [self.latest.exists() if dist.get_rank() == 0 else None]
        dist.broadcast_object_list(found, src=0)
        if found[0]:
            state = torch.load(self.latest, map_location=self.device)
            self.net.load_state_dict(state["net"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.first = state["epoch"] + 1

    def checkpoint(self, epoch):
        if dist.get_rank() == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
            state = {"net": self.net.state_dict(), "optimizer": self.optimizer.state_dict(), "epoch": epoch}
            torch.save(state, self.latest)

    def run_epoch(self):
        for x, y in self.loader:
            loss = F.cross_entropy(self.model(x.to(self.device)), y.to(self.device))
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    def fit(self):
        self.sampler.set_epoch(self.first)
        for epoch in range(self.first, self.epochs):
            self.run_epoch()
            self.checkpoint(epoch)
        dist.destroy_process_group()
