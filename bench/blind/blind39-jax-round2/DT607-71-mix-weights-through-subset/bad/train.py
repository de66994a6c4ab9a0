import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Subset

from callbacks import NoiseRamp
from dataset import NoisyScans


class Trainer:
    def __init__(self, data, callbacks, epochs, workers=4):
        self.epochs, self.callbacks = epochs, callbacks
        self.local = int(os.environ["LOCAL_RANK"])
        model = nn.Sequential(nn.Conv1d(1, 32, 9, padding=4), nn.ReLU(), nn.Conv1d(32, 1, 9, padding=4)).cuda(self.local)
        self.model = DistributedDataParallel(model, device_ids=[self.local])
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.sampler = DistributedSampler(data, drop_last=True)
        self.loader = DataLoader(
            data,
            batch_size=32,
            sampler=self.sampler,
            num_workers=workers,
            persistent_workers=workers > 0,
            drop_last=True,
        )

    def fit(self):
        for epoch in range(self.epochs):
            self.sampler.set_epoch(epoch)
            for noisy, clean in self.loader:
                noisy, clean = noisy.cuda(self.local), clean.cuda(self.local)
                loss = nn.functional.mse_loss(self.model(noisy), clean)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch)


def main(epochs=20):
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(100 + dist.get_rank())
    scans = torch.load("scans.pt", map_location="cpu")
    train = Subset(NoisyScans(scans), range(len(scans) // 10, len(scans)))
    trainer = Trainer(train, [NoiseRamp(0.05, 0.5, epochs)], epochs)
    trainer.fit()
    if dist.get_rank() == 0:
        torch.save(trainer.model.module.state_dict(), "scans_model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
