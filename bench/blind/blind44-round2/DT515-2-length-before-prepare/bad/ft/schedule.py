from dataclasses import dataclass

from transformers import get_linear_schedule_with_warmup


@dataclass
class Plan:
    epochs: int
    accumulate: int
    warmup: float = 0.06

    def updates(self, batches):
        return self.epochs * -(-batches // self.accumulate)

    def scheduler(self, optimizer, batches):
        total = self.updates(batches)
        return get_linear_schedule_with_warmup(optimizer, int(total * self.warmup), total)
