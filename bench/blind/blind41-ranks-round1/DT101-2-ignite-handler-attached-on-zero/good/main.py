import ignite.distributed as idist
import torch
import torch.nn as nn
import torch.nn.functional as F
from ignite.engine import Engine, Events
from torch.utils.data import TensorDataset


def dataset(n=1024, dim=12):
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(n, dim, generator=gen)
    return TensorDataset(x, (x.sum(1) > 0).long())


class EpochLoss:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, engine):
        self.total += engine.state.output["loss"] * engine.state.output["n"]
        self.count += engine.state.output["n"]

    def report(self, engine):
        pair = torch.tensor([self.total, float(self.count)], device=idist.device())
        pair = idist.all_reduce(pair)
        if idist.get_rank() == 0:
            print(f"epoch {engine.state.epoch}: loss {(pair[0] / pair[1]).item():.4f}")
        self.total, self.count = 0.0, 0


def training(local_rank, config):
    torch.manual_seed(config["seed"])
    device = idist.device()
    loader = idist.auto_dataloader(dataset(), batch_size=config["batch_size"], shuffle=True, drop_last=True)
    model = idist.auto_model(nn.Sequential(nn.Linear(12, 48), nn.ReLU(), nn.Linear(48, 2)))
    optimizer = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=config["lr"]))

    def step(engine, batch):
        model.train()
        x, y = (t.to(device, non_blocking=True) for t in batch)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return {"loss": loss.item(), "n": len(x)}

    trainer = Engine(step)
    meter = EpochLoss()

    @trainer.on(Events.EPOCH_STARTED)
    def reshuffle(engine):
        if idist.get_world_size() > 1:
            loader.sampler.set_epoch(engine.state.epoch)

    trainer.add_event_handler(Events.ITERATION_COMPLETED, meter.update)
    trainer.add_event_handler(Events.EPOCH_COMPLETED, meter.report)
    trainer.run(loader, max_epochs=config["max_epochs"])


def run(backend="gloo", nproc_per_node=2):
    config = {"seed": 5, "batch_size": 64, "lr": 1e-3, "max_epochs": 2}
    with idist.Parallel(backend=backend, nproc_per_node=nproc_per_node) as parallel:
        parallel.run(training, config)


if __name__ == "__main__":
    run()
