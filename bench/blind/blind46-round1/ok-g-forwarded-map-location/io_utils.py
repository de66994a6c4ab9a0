import functools
from pathlib import Path

import torch

load_cpu = functools.partial(torch.load, map_location="cpu", weights_only=True)


def restore(path: Path, *, into, **load_kwargs):
    state = load_cpu(path, **load_kwargs)
    missing = [k for k in into if k not in state]
    if missing:
        raise KeyError(f"{path} lacks {missing}")
    for name, target in into.items():
        target.load_state_dict(state[name])
    return state.get("epoch", 0)
