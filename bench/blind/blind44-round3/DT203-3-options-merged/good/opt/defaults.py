DEFAULTS = {
    "train": {"batch_size": 32, "shuffle": True, "drop_last": True, "num_workers": 2},
    "val": {"batch_size": 64, "shuffle": False, "num_workers": 2},
}


def merged(split, **override):
    return {**DEFAULTS[split], **override}
