import ignite.distributed as idist
import torch
import torch.nn as nn
import torch.nn.functional as F
from ignite.engine import Engine, Events
from torchvision.datasets import CIFAR10
from torchvision.transforms import ToTensor


def train_set(root="/shared/datasets"):
    if idist.get_local_rank() > 0:
        idist.barrier()
    data = CIFAR10(root, train=True, download=True, transform=ToTensor())
    if idist.get_local_rank() == 0:
        idist.barrier()
    return data


def training(local_rank, config):
    torch.manual_seed(config["seed"])
    loader = idist.auto_dataloader(train_set(), batch_size=256, shuffle=True, drop_last=True, num_workers=4)
    model = idist.auto_model(nn.Sequential(nn.Flatten(), nn.Linear(3072, 10)))
    opt = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=0.05))

    def update(engine, batch):
        x, y = batch[0].to(idist.device()), batch[1].to(idist.device())
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(update)

    @trainer.on(Events.EPOCH_STARTED)
    def reshuffle(engine):
        loader.sampler.set_epoch(engine.state.epoch)

    trainer.run(loader, max_epochs=config["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="nccl") as parallel:
        parallel.run(training, {"seed": 1, "epochs": 3})
