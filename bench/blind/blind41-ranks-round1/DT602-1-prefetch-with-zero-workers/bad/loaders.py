from dataclasses import dataclass

from torch.utils.data import DataLoader


@dataclass
class LoaderConfig:
    batch_size: int = 32
    workers: int = 6
    prefetch: int = 4
    pin: bool = True


def build_loader(dataset, cfg, debug=False):
    workers = 0 if debug else cfg.workers
    return DataLoader(
        dataset,
        batch_size=cfg.batch_size,
        shuffle=True,
        num_workers=workers,
        prefetch_factor=cfg.prefetch,
        pin_memory=cfg.pin,
        drop_last=True,
    )
