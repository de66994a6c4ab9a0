import enum
from dataclasses import dataclass


class Phase(enum.Enum):
    TRAIN = enum.auto()
    SAVE = enum.auto()
    DONE = enum.auto()


@dataclass
class Progress:
    step: int = 0
    phase: Phase = Phase.TRAIN


class Machine:
    def __init__(self, engine, env, limit, every):
        self.engine, self.env, self.limit, self.every = engine, env, limit, every
        self.progress = Progress()
        self.table = {Phase.TRAIN: self.train, Phase.SAVE: self.save}

    def run(self):
        while self.progress.phase is not Phase.DONE:
            self.progress.phase = self.table[self.progress.phase]()

    def train(self):
        self.engine.step()
        self.progress.step += 1
        due = self.progress.step % self.every == 0
        if due:
            return Phase.SAVE
        return self.after()

    def save(self):
        self.engine.save(self.progress.step)
        return self.after()

    def after(self):
        return Phase.DONE if self.progress.step >= self.limit else Phase.TRAIN
