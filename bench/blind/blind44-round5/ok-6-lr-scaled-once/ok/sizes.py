from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    total: int
    world: int

    @property
    def per_rank(self):
        assert self.total % self.world == 0
        return self.total // self.world

    def lr(self, base, reference=256):
        return base * self.total / reference
