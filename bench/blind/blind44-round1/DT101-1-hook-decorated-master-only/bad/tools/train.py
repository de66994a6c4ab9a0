import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from toolkit.dist import setup
from toolkit.hooks import build_hooks
from toolkit.runner import EpochRunner

CFG = dict(
    epochs=3,
    batch=32,
    hooks=[dict(type="EvalHook", interval=1), dict(type="SamplerSeedHook")],
)


def toy(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 10, generator=g)
    return TensorDataset(x, (x.sum(1) > 0).long())


def main():
    device = setup()
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
    ids = [device.index] if device.type == "cuda" else None
    model = DistributedDataParallel(net, device_ids=ids)
    train, val = toy(512, 0), toy(256, 1)
    train_loader = DataLoader(train, CFG["batch"], sampler=DistributedSampler(train), drop_last=True)
    val_loader = DataLoader(val, CFG["batch"], sampler=DistributedSampler(val, shuffle=False))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    runner = EpochRunner(model, opt, train_loader, val_loader, device, build_hooks(CFG["hooks"]))
    runner.run(CFG["epochs"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
