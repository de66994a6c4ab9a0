import logging
import os
from dataclasses import dataclass, field

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from model import Classifier, freeze_prefixes

log = logging.getLogger(__name__)


@dataclass
class Config:
    frozen: list[str] = field(default_factory=lambda: ["encoder.blocks.0", "encoder.blocks.1"])
    lr: float = 5e-3
    epochs: int = 2
    batch: int = 16


def prepare_model(cfg, device):
    torch.manual_seed(0)
    model = Classifier().to(device)
    if dist.get_rank() == 0:
        frozen = freeze_prefixes(model, cfg.frozen)
        total = sum(p.numel() for p in model.parameters())
        log.info("%d of %d parameters frozen", frozen, total)
    return DDP(model, device_ids=[device.index] if device.type == "cuda" else None)


def main():
    logging.basicConfig(level=logging.INFO)
    cfg = Config()
    if torch.cuda.is_available():
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group("nccl", device_id=device)
    else:
        device = torch.device("cpu")
        dist.init_process_group("gloo")
    model = prepare_model(cfg, device)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=cfg.lr)
    g = torch.Generator().manual_seed(3)
    data = TensorDataset(torch.randn(256, 32, generator=g), torch.randint(0, 5, (256,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=cfg.batch, sampler=sampler, drop_last=True)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
