import contextlib

import wandb


@contextlib.contextmanager
def tracked(project, config, enabled=True):
    if not enabled:
        yield None
        return
    run = wandb.init(project=project, config=config)
    try:
        yield run
    finally:
        run.finish()
