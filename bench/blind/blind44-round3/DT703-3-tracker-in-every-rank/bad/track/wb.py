import wandb

from track.base import Tracker


class Wandb(Tracker):
    def __init__(self, project, config):
        self.run = wandb.init(project=project, config=config)

    def log(self, values, step):
        self.run.log(values, step=step)

    def close(self):
        self.run.finish()
