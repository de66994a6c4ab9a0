import contextlib

import wandb


@contextlib.contextmanager
def tracked(project, config):
    run = wandb.init(project=project, config=config)
    try:
        yield run
    finally:
        run.finish()
