import json

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from bus import Bus, EpochEnded, Finished


class History:
    def __init__(self, path):
        self.path, self.rows = path, []

    def note(self, event: EpochEnded):
        self.rows.append([event.epoch, event.loss])

    def store(self, event: Finished):
        with open(self.path, "w") as file:
            json.dump({"epochs": event.epochs, "rows": self.rows}, file)


def mean(total, count):
    pair = torch.tensor([total, float(count)])
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    bus = Bus()
    if dist.get_rank() == 0:
        history = History("history.json")
        bus.subscribe(EpochEnded, history.note)
        bus.subscribe(EpochEnded, lambda e: print(f"{e.epoch}: {e.loss:.3f}"))
        bus.subscribe(Finished, history.store)
    x = torch.randn(128, 3)
    dataset = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, 16, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        total = 0.0
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(a)
        bus.publish(EpochEnded(epoch, mean(total, len(sampler))))
    bus.publish(Finished(3))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
