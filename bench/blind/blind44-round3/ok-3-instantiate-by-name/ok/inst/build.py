import importlib


def locate(path):
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def build(spec, *args, **extra):
    options = {k: v for k, v in spec.items() if k != "_target_"}
    return locate(spec["_target_"])(*args, **options, **extra)
