from typing import Protocol

import wandb


class Tracker(Protocol):
    def log(self, **values: float) -> None: ...

    def close(self) -> None: ...


class Silent:
    def log(self, **values):
        pass

    def close(self):
        pass


class Wandb:
    def __init__(self, project, **config):
        self.run = wandb.init(project=project, config=config)

    def log(self, **values):
        self.run.log(values)

    def close(self):
        self.run.finish()


def make(project: str, lead: bool, **config) -> Tracker:
    return Wandb(project, **config) if lead else Silent()
