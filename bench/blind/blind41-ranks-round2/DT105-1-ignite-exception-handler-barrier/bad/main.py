import ignite.distributed as idist
import torch
import torch.nn as nn
import torch.nn.functional as F
from ignite.engine import Engine, Events
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def save_and_stop(engine, error):
    path = f"crash-{idist.get_rank()}.txt"
    with open(path, "w") as handle:
        handle.write(f"iteration {engine.state.iteration}: {error}\n")
    idist.barrier()
    raise error


def loader(batch_size):
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1600, 10, generator=gen), torch.randint(0, 2, (1600,), generator=gen))
    sampler = DistributedSampler(data, num_replicas=idist.get_world_size(), rank=idist.get_rank(), drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True)


def training(local_rank, config):
    device = idist.device()
    torch.manual_seed(config["seed"])
    model = idist.auto_model(nn.Linear(10, 2))
    opt = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=config["lr"]))
    batches = loader(config["batch_size"])

    def update(engine, batch):
        x, y = batch[0].to(device), batch[1].to(device)
        if not torch.isfinite(x).all():
            raise ValueError("bad features")
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(update)
    trainer.add_event_handler(Events.EXCEPTION_RAISED, save_and_stop)

    @trainer.on(Events.EPOCH_STARTED)
    def shuffle(engine):
        batches.sampler.set_epoch(engine.state.epoch)

    trainer.run(batches, max_epochs=config["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
        parallel.run(training, {"seed": 0, "lr": 0.1, "batch_size": 20, "epochs": 2})
