import ignite.distributed as idist
import torch
import torch.nn as nn
import torch.nn.functional as F
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss
from ignite.utils import manual_seed, setup_logger
from torch.utils.data import TensorDataset

CONFIG = {"epochs": 40, "batch_size": 64, "lr": 1e-3, "goal": 0.98, "seed": 12}


def rings(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 2, generator=gen)
    return TensorDataset(x, (x.norm(dim=1) > 1.2).long())


def make_trainer(model, optimizer):
    def step(engine, batch):
        x, y = (part.to(idist.device()) for part in batch)
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return Engine(step)


class Goal:
    """Ends the run when the accuracy over all ranks is good enough."""

    def __init__(self, evaluator, loader, logger, goal):
        self.evaluator, self.loader, self.logger, self.goal = evaluator, loader, logger, goal

    def __call__(self, trainer):
        state = self.evaluator.run(self.loader)
        accuracy = state.metrics["accuracy"]
        if idist.get_rank() == 0:
            self.logger.info("epoch %d accuracy %.4f", trainer.state.epoch, accuracy)
            if accuracy >= self.goal:
                self.logger.info("reached %.2f, stopping", self.goal)
                trainer.terminate()


def training(local_rank, config):
    manual_seed(config["seed"])
    logger = setup_logger("rings", distributed_rank=idist.get_rank())
    train = idist.auto_dataloader(rings(8192, 1), batch_size=config["batch_size"] * idist.get_world_size(), shuffle=True, drop_last=True)
    valid = idist.auto_dataloader(rings(1024, 2), batch_size=256 * idist.get_world_size(), shuffle=False)
    model = idist.auto_model(nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2)))
    optimizer = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=config["lr"]))
    trainer = make_trainer(model, optimizer)
    metrics = {"accuracy": Accuracy(device=idist.device()), "nll": Loss(F.cross_entropy, device=idist.device())}
    evaluator = create_supervised_evaluator(model, metrics=metrics, device=idist.device())

    @trainer.on(Events.EPOCH_STARTED)
    def reshuffle(engine):
        if hasattr(train.sampler, "set_epoch"):
            train.sampler.set_epoch(engine.state.epoch - 1)

    trainer.add_event_handler(Events.EPOCH_COMPLETED, Goal(evaluator, valid, logger, config["goal"]))
    trainer.run(train, max_epochs=config["epochs"])
    if idist.get_rank() == 0:
        torch.save(model.state_dict(), "rings.pt")


if __name__ == "__main__":
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    with idist.Parallel(backend=backend) as parallel:
        parallel.run(training, CONFIG)
