import ignite.distributed as idist
import torch
from ignite.engine import Events


class GradientSpread:
    """How much the gradient norms of the processes differ, once per epoch."""

    def __init__(self, model):
        self.model = model
        self.series = []

    def attach(self, engine):
        engine.add_event_handler(Events.EPOCH_COMPLETED, self)
        return self

    def __call__(self, engine):
        norms = [p.grad.norm() for p in self.model.parameters() if p.grad is not None]
        local = torch.stack(norms).norm().reshape(1)
        spread = idist.all_gather(local)
        self.series.append((spread.max() - spread.min()).item())


class EpochPrinter:
    def __call__(self, engine):
        print(f"epoch {engine.state.epoch}: last loss {engine.state.output:.4f}")
