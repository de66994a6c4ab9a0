import pathlib
from types import SimpleNamespace

import yaml


def load(world_size):
    raw = yaml.safe_load((pathlib.Path(__file__).parent / "base.yaml").read_text())
    return SimpleNamespace(
        lr=raw["optimizer"]["lr"],
        per_rank_batch=raw["data"]["global_batch"] // world_size,
        samples=raw["data"]["samples"],
        epochs=raw["epochs"],
    )
