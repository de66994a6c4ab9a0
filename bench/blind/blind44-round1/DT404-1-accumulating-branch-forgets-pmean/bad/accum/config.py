from types import SimpleNamespace


def get_config():
    return SimpleNamespace(accum=4, per_device=16, lr=3e-3, steps=25, seed=0, hidden=32)
