import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 10,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 2},
}


class Plateau:
    def __init__(self, patience):
        self.patience, self.best, self.waited = patience, float("inf"), 0

    def __call__(self, value):
        if value < self.best:
            self.best, self.waited = value, 0
        else:
            self.waited += 1
        return self.waited > self.patience


def main():
    deepspeed.init_distributed()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 36), nn.ReLU(), nn.Linear(36, 4))
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1200, 12, generator=gen), torch.randint(0, 4, (1200,), generator=gen))
    engine, _, loader, _ = deepspeed.initialize(model=net, model_parameters=net.parameters(), training_data=data, config=CONFIG)
    plateau = Plateau(patience=2)
    for epoch in range(50):
        loader.data_sampler.set_epoch(epoch)
        total = torch.zeros((), device=engine.device)
        for x, y in loader:
            loss = F.cross_entropy(engine(x.to(engine.device)), y.to(engine.device))
            engine.backward(loss)
            engine.step()
            total += loss.detach()
        dist.all_reduce(total)
        if dist.get_rank() == 0 and plateau(total.item()):
            print("no progress, stopping")
            break
    engine.save_checkpoint("out", tag="final")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
