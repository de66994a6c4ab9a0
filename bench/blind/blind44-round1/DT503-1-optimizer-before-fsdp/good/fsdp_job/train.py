import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from fsdp_job.builders import Encoder, build_optimizer, shard


class Copy(Dataset):
    def __init__(self, n=2048, length=24, vocab=100):
        self.rows = torch.randint(0, vocab, (n, length), generator=torch.Generator().manual_seed(8))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Engine:
    def __init__(self, lr=3e-4):
        self.device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(self.device)
        dist.init_process_group("nccl")
        torch.manual_seed(0)
        model = Encoder(64, 4, 100)
        self.model = shard(model, self.device)
        self.optimizer = build_optimizer(self.model, lr)

    def step(self, x):
        loss = F.cross_entropy(self.model(x).flatten(0, 1), x.flatten())
        loss.backward()
        self.model.clip_grad_norm_(1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    def run(self, epochs=2):
        data = Copy()
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x in loader:
                self.step(x.to(self.device))
        dist.destroy_process_group()


if __name__ == "__main__":
    Engine().run()
