import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def warm_cache(model, device):
    with torch.no_grad():
        model(torch.zeros(8, 32, device=device))
    xm.mark_step()
    xm.rendezvous("warm")


def worker(index):
    device = xm.xla_device()
    torch.manual_seed(0)
    model = nn.Linear(32, 4).to(device)
    warm_cache(model, device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(xm.get_ordinal())
    for step in range(50):
        x = torch.randn(16, 32, generator=gen).to(device)
        loss = model(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        xm.optimizer_step(opt)
        xm.mark_step()


if __name__ == "__main__":
    xmp.spawn(worker)
