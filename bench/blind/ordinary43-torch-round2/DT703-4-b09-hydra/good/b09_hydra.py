"""Hydra app with instantiate-like factory, OmegaConf."""
import logging
import os

import hydra
import torch
import torch.distributed as dist
import wandb
from hydra.utils import instantiate, to_absolute_path
from omegaconf import DictConfig, OmegaConf
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

log = logging.getLogger(__name__)


def prepare(cfg):
    dist.init_process_group(cfg.dist.backend)
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), torch.device("cuda", local)


def evaluate(model, loader, device):
    model.eval()
    sums = torch.zeros(3, device=device, dtype=torch.double)
    with torch.inference_mode():
        for x, y in loader:
            logits = model(x.to(device))
            y = y.to(device)
            sums += torch.stack([
                torch.nn.functional.cross_entropy(logits, y, reduction="sum").double(),
                (logits.argmax(-1) == y).sum().double(),
                torch.tensor(len(y), device=device).double(),
            ])
    dist.all_reduce(sums)
    return {"val/loss": (sums[0] / sums[2]).item(), "val/acc": (sums[1] / sums[2]).item()}


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg: DictConfig) -> None:
    rank, world, device = prepare(cfg)
    OmegaConf.resolve(cfg)
    torch.manual_seed(cfg.seed)
    run = None
    if rank == 0:
        run = wandb.init(project=cfg.wandb.project, config=OmegaConf.to_container(cfg), mode=cfg.wandb.mode)
        log.info(OmegaConf.to_yaml(cfg))
    model = instantiate(cfg.model).to(device)
    model = DistributedDataParallel(model, device_ids=[device.index], find_unused_parameters=cfg.dist.find_unused)
    optimizer = instantiate(cfg.optimizer, params=model.parameters())
    train, val = instantiate(cfg.data.train), instantiate(cfg.data.val)
    sampler = DistributedSampler(train, shuffle=True, seed=cfg.seed)
    if cfg.batch_size % world:
        raise ValueError(f"batch size {cfg.batch_size} is not divisible by {world}")
    loader = DataLoader(train, batch_size=cfg.batch_size // world, sampler=sampler, **cfg.loader)
    val_loader = DataLoader(val, batch_size=cfg.batch_size // world, sampler=DistributedSampler(val, shuffle=False), **cfg.loader)
    steps_per_epoch = len(loader)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, cfg.optimizer.lr, epochs=cfg.epochs, steps_per_epoch=steps_per_epoch)
    if cfg.resume is not None:
        saved = torch.load(to_absolute_path(cfg.resume), map_location=device, weights_only=True)
        model.module.load_state_dict(saved)
    step = 0
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        model.train()
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device), label_smoothing=cfg.smoothing)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            step += 1
            if run is not None and step % cfg.log_every == 0:
                run.log({"train/loss_rank0": loss.item(), "lr": scheduler.get_last_lr()[0]}, step=step)
        metrics = evaluate(model, val_loader, device)
        if run is not None:
            run.log(metrics, step=step)
            torch.save(model.module.state_dict(), f"epoch{epoch:03d}.pt")
    if run is not None:
        run.finish()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
