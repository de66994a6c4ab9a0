import os
import uuid
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def start():
    gpu = torch.cuda.is_available()
    if gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if gpu else "gloo")
    return torch.device("cuda", torch.cuda.current_device()) if gpu else torch.device("cpu")


class Experiment:
    def __init__(self, root, device):
        self.device = device
        self.id = os.environ.get("RUN_ID") or self.shared_id()
        self.folder = Path(root) / self.id
        if dist.get_rank() == 0:
            self.folder.mkdir(parents=True)
        dist.barrier()

    def shared_id(self):
        names = [uuid.uuid4().hex[:8]]
        return names[0]

    def statistics(self, data):
        """Rank 0 computes them once, the others read them."""
        path = self.folder / "statistics.pt"
        if dist.get_rank() == 0:
            x = data.tensors[0]
            torch.save({"mean": x.mean(0), "std": x.std(0)}, path)
        dist.barrier()
        return torch.load(path, map_location=self.device, weights_only=True)


def main():
    device = start()
    experiment = Experiment("experiments", device)
    x = torch.randn(400, 5, generator=torch.Generator().manual_seed(0)) * 3 + 1
    data = TensorDataset(x, x.sum(1, keepdim=True))
    scale = experiment.statistics(data)
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 1).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    sampler = DistributedSampler(data)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for rows, target in DataLoader(data, batch_size=20, sampler=sampler):
            rows = (rows.to(device) - scale["mean"]) / scale["std"]
            loss = F.mse_loss(model(rows), target.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), experiment.folder / "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
