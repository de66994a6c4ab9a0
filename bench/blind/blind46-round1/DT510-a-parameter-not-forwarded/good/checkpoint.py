from __future__ import annotations

from pathlib import Path

import torch


def newest(folder: Path) -> Path | None:
    found = sorted(folder.glob("step_*.pt"))
    return found[-1] if found else None


def save_checkpoint(folder: Path, step: int, model, optimizer) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    payload = {"step": step, "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(payload, folder / f"step_{step:08d}.pt")


def load_checkpoint(path: Path, model, optimizer=None, map_location=None) -> int:
    payload = torch.load(path, map_location=map_location, weights_only=True)
    model.load_state_dict(payload["model"])
    if optimizer is not None:
        optimizer.load_state_dict(payload["optimizer"])
    return payload["step"]
