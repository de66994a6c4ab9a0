import dataclasses


@dataclasses.dataclass
class Loading:
    batch_size: int = 32
    num_workers: int = 0
    persistent_workers: bool = True
    pin_memory: bool = False

    def as_kwargs(self):
        return {**dataclasses.asdict(self), "persistent_workers": self.persistent_workers and self.num_workers > 0}
