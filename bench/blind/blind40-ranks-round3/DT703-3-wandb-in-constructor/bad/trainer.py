import torch
import torch.nn as nn
import wandb
from lightning.fabric import Fabric


class Trainer:
    def __init__(self, fabric: Fabric, net, lr, project):
        self.fabric = fabric
        opt = torch.optim.AdamW(net.parameters(), lr=lr)
        self.net, self.opt = fabric.setup(net, opt)
        self.run = wandb.init(project=project, config={"lr": lr})

    def epoch(self, loader):
        total = torch.zeros((), device=self.fabric.device)
        for x, y in loader:
            self.opt.zero_grad()
            loss = nn.functional.mse_loss(self.net(x), y)
            self.fabric.backward(loss)
            self.opt.step()
            total += loss.detach()
        mean = self.fabric.all_reduce(total / len(loader), reduce_op="mean")
        if self.fabric.is_global_zero:
            self.run.log({"loss": mean.item()})
        return mean.item()

    def close(self):
        if self.fabric.is_global_zero:
            self.run.finish()
