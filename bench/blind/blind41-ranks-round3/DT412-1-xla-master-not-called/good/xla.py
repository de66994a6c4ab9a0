import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.xla_multiprocessing as xmp


def worker(index):
    device = xm.xla_device()
    torch.manual_seed(0)
    model = nn.Linear(16, 16).to(device)
    xm.broadcast_master_param(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    gen = torch.Generator().manual_seed(xm.get_ordinal())
    for step in range(100):
        x = torch.randn(8, 16, generator=gen).to(device)
        opt.zero_grad()
        loss = (model(x) - x).pow(2).mean()
        loss.backward()
        xm.optimizer_step(opt)
        xm.mark_step()
    if xm.is_master_ordinal(local=False):
        torch.save({k: v.cpu() for k, v in model.state_dict().items()}, "linear.pt")
    xm.rendezvous("saved")


if __name__ == "__main__":
    xmp.spawn(worker)
