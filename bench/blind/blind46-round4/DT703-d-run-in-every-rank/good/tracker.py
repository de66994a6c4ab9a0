import abc
from types import SimpleNamespace

import wandb


class Tracker(abc.ABC):
    @abc.abstractmethod
    def log(self, step, **values): ...

    def close(self):
        pass


class WandbTracker(Tracker):
    def __init__(self, project, config):
        self.run = wandb.init(project=project, config=vars(config))

    def log(self, step, **values):
        self.run.log(values, step=step)

    def close(self):
        self.run.finish()


class NullTracker(Tracker):
    def log(self, step, **values):
        pass


def settings(**values):
    return SimpleNamespace(**values)
