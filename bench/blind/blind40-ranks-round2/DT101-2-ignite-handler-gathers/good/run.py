import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from torch import nn, optim
from torch.utils.data import TensorDataset

from handlers import EpochPrinter, GradientSpread


def dataset():
    g = torch.Generator().manual_seed(15)
    x = torch.randn(640, 18, generator=g)
    return TensorDataset(x, x.abs().sum(1, keepdim=True))


def make_trainer(model, optimizer, device):
    def update(engine, batch):
        model.train()
        x, y = (t.to(device, non_blocking=True) for t in batch)
        loss = nn.functional.smooth_l1_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return Engine(update)


def training(local_rank, config):
    device = idist.device()
    torch.manual_seed(config["seed"])
    loader = idist.auto_dataloader(dataset(), batch_size=config["batch_size"], shuffle=True, drop_last=True)
    model = idist.auto_model(nn.Sequential(nn.Linear(18, 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = idist.auto_optim(optim.AdamW(model.parameters(), lr=config["lr"]))
    trainer = make_trainer(model, optimizer, device)

    @trainer.on(Events.EPOCH_STARTED)
    def next_order(engine):
        if idist.get_world_size() > 1:
            loader.sampler.set_epoch(engine.state.epoch - 1)

    GradientSpread(model).attach(trainer)
    if idist.get_rank() == 0:
        trainer.add_event_handler(Events.EPOCH_COMPLETED, EpochPrinter())
    trainer.run(loader, max_epochs=config["epochs"])


def main():
    config = {"batch_size": 64, "lr": 1e-3, "epochs": 4, "seed": 0}
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    with idist.Parallel(backend=backend) as parallel:
        parallel.run(training, config)


if __name__ == "__main__":
    main()
