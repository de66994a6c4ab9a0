import sys
from pathlib import Path

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events


def share(root):
    paths = sorted(Path(root).glob("*.pt"))
    return paths[idist.get_rank() :: idist.get_world_size()]


def update(engine, path):
    rows = torch.load(path, map_location="cpu", weights_only=True)
    return rows.float().mean()


def training(local_rank, root):
    engine = Engine(update)

    @engine.on(Events.ITERATION_COMPLETED)
    def total(engine):
        engine.state.mean = idist.all_reduce(engine.state.output) / idist.get_world_size()

    files = share(root)
    files = files[: int(idist.all_reduce(len(files), op="MIN"))]
    engine.run(files, max_epochs=1)
    if idist.get_rank() == 0:
        print(engine.state.mean)


if __name__ == "__main__":
    with idist.Parallel(backend="gloo") as parallel:
        parallel.run(training, sys.argv[1])
