import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from parts import Experiment


def main(epochs=2):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    run = Experiment().wrap()
    x = torch.randn(8000, 30, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, 0].gt(0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=80, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for features, label in loader:
            loss = F.cross_entropy(run.model(features.cuda()), label.cuda())
            run.optimizer.zero_grad()
            loss.backward()
            run.model.clip_grad_norm_(1.0)
            run.optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
