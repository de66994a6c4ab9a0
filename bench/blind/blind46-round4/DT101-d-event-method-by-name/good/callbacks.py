import torch.distributed as dist


class Callback:
    def dispatch(self, event, *args, **kwargs):
        method = getattr(self, f"on_{event}", None)
        return method(*args, **kwargs) if method is not None else None


class SampleTable(Callback):
    """Collects one example prediction of every rank."""

    def __init__(self):
        self.rows = []

    def on_epoch_end(self, epoch, prediction):
        everyone = [None] * dist.get_world_size()
        dist.all_gather_object(everyone, prediction)
        self.rows.append((epoch, everyone))


class Progress(Callback):
    def on_epoch_end(self, epoch, prediction):
        if dist.get_rank() == 0:
            print("epoch", epoch)
