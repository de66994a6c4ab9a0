from pathlib import Path

import click
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import vocab


@click.group()
@click.option("--workdir", type=click.Path(path_type=Path), default=Path("."))
@click.pass_context
def cli(ctx: click.Context, workdir: Path) -> None:
    dist.init_process_group("gloo")
    ctx.call_on_close(dist.destroy_process_group)
    ctx.obj = workdir


@cli.command()
@click.argument("corpus", type=click.Path(exists=True, path_type=Path))
@click.option("--size", default=1000, show_default=True)
@click.option("--epochs", default=1)
@click.pass_obj
def train(workdir: Path, corpus: Path, size: int, epochs: int) -> None:
    table_path = workdir / "vocab.json"
    if dist.get_rank() == 0:
        vocab.build(corpus, table_path, size)
    dist.barrier()
    table = vocab.load(table_path)
    ids = torch.tensor([table[w] for w in corpus.read_text().split() if w in table])
    dataset = TensorDataset(ids[:-1], ids[1:])
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Sequential(nn.Embedding(len(table), 32), nn.Linear(32, len(table))))
    optimizer = torch.optim.Adam(model.parameters())
    sampler = DistributedSampler(dataset)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(dataset, batch_size=64, sampler=sampler):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()


if __name__ == "__main__":
    cli()
