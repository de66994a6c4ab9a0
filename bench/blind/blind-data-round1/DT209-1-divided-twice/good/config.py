from dataclasses import dataclass


@dataclass
class TrainConfig:
    global_batch: int = 64
    epochs: int = 2
    lr: float = 1e-3

    def per_rank(self, world):
        if self.global_batch % world:
            raise ValueError("global_batch must be a multiple of the world size")
        return self.global_batch // world
