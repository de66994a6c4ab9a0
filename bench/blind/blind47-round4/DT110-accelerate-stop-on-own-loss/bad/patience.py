from dataclasses import dataclass, field


@dataclass
class Patience:
    limit: int = 5
    best: float = field(default=float("inf"), init=False)
    bad: int = field(default=0, init=False)

    def __call__(self, value: float) -> bool:
        if value < self.best - 1e-4:
            self.best, self.bad = value, 0
        else:
            self.bad += 1
        return self.bad > self.limit
