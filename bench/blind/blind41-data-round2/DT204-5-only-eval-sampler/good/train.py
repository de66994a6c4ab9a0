import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Splits(dict):
    def loader(self, name, **kw):
        return DataLoader(self[name]["data"], sampler=self[name]["sampler"], **kw)


def splits():
    made = Splits()
    for name, n, seed in (("train", 8000, 1), ("val", 1000, 2)):
        x = torch.randn(n, 10, generator=torch.Generator().manual_seed(seed))
        data = TensorDataset(x, x.prod(1))
        made[name] = {"data": data, "sampler": DistributedSampler(data, shuffle=name == "train")}
    return made


def run(epochs=6):
    parts = splits()
    train = parts.loader("train", batch_size=40, drop_last=True)
    val = parts.loader("val", batch_size=40)
    model = DDP(nn.Sequential(nn.Linear(10, 64), nn.Tanh(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        parts["train"]["sampler"].set_epoch(epoch)
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x)[:, 0], y).backward()
            optimizer.step()
        model.eval()
        error = torch.zeros(2)
        with torch.no_grad():
            for x, y in val:
                error += torch.tensor([(model(x)[:, 0] - y).abs().sum(), float(len(y))])
        dist.all_reduce(error)
        if dist.get_rank() == 0:
            print(epoch, (error[0] / error[1]).item())


if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    run()
    dist.destroy_process_group()
