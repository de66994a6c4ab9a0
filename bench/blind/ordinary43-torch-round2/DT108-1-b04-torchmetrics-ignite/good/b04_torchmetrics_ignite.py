"""ignite with idist."""
import ignite.distributed as idist
import torch
from ignite.contrib.engines import common
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.handlers import Checkpoint, DiskSaver, PiecewiseLinear
from ignite.metrics import Accuracy, Loss
from ignite.utils import manual_seed, setup_logger
from torch import nn
from torchvision import datasets, models, transforms


def get_data(path):
    tf = transforms.ToTensor()
    if idist.get_local_rank() > 0:
        idist.barrier()
    train = datasets.CIFAR10(path, train=True, download=True, transform=tf)
    test = datasets.CIFAR10(path, train=False, download=True, transform=tf)
    if idist.get_local_rank() == 0:
        idist.barrier()
    return train, test


def create_trainer(model, optimizer, criterion, scheduler, train_sampler, config):
    device = idist.device()

    def step(engine, batch):
        x, y = (t.to(device, non_blocking=True) for t in batch)
        model.train()
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return {"loss": loss.item()}

    trainer = Engine(step)

    @trainer.on(Events.EPOCH_STARTED)
    def shuffle(engine):
        if isinstance(train_sampler, torch.utils.data.distributed.DistributedSampler):
            train_sampler.set_epoch(engine.state.epoch - 1)

    trainer.add_event_handler(Events.ITERATION_STARTED, scheduler)
    return trainer


def training(local_rank, config):
    rank = idist.get_rank()
    manual_seed(config["seed"] + rank)
    logger = setup_logger("cifar")
    train, test = get_data("data")
    train_loader = idist.auto_dataloader(train, batch_size=config["batch_size"], shuffle=True, num_workers=4, drop_last=True)
    test_loader = idist.auto_dataloader(test, batch_size=2 * config["batch_size"], num_workers=4)
    model = idist.auto_model(models.resnet18(num_classes=10))
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9))
    criterion = nn.CrossEntropyLoss().to(idist.device())
    steps = len(train_loader)
    scheduler = PiecewiseLinear(optimizer, "lr", [(0, 0.0), (steps * 2, config["lr"]), (steps * config["epochs"], 0.0)])
    trainer = create_trainer(model, optimizer, criterion, scheduler, train_loader.sampler, config)
    metrics = {"accuracy": Accuracy(), "loss": Loss(criterion)}
    evaluator = create_supervised_evaluator(model, metrics=metrics, device=idist.device(), non_blocking=True)

    @trainer.on(Events.EPOCH_COMPLETED(every=2) | Events.COMPLETED)
    def validate(engine):
        state = evaluator.run(test_loader)
        if rank == 0:
            logger.info("epoch %s %s", engine.state.epoch, state.metrics)

    to_save = {"trainer": trainer, "model": model, "optimizer": optimizer}
    handler = Checkpoint(to_save, DiskSaver(config["output"], require_empty=False), n_saved=2, score_name="accuracy",
                         score_function=lambda e: e.state.metrics["accuracy"])
    evaluator.add_event_handler(Events.COMPLETED, handler)
    trainer.run(train_loader, max_epochs=config["epochs"])


def main():
    config = dict(seed=543, batch_size=256, lr=0.4, epochs=24, output="out")
    with idist.Parallel(backend="nccl") as parallel:
        parallel.run(training, config)


if __name__ == "__main__":
    main()
