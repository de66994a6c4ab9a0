from dataclasses import dataclass


@dataclass
class Cadence:
    every: int
    last: int = 0

    def due(self, step):
        return step - self.last >= self.every
