class NoiseRamp:
    """Called after each epoch by the trainer."""

    def __init__(self, start, stop, epochs):
        self.values = [start + (stop - start) * i / max(epochs - 1, 1) for i in range(epochs)]

    def on_epoch_end(self, trainer, epoch):
        following = min(epoch + 1, len(self.values) - 1)
        trainer.loader.dataset.dataset.sigma = self.values[following]
