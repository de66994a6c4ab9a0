from lightning.pytorch.callbacks import Callback


class HarderEachEpoch(Callback):
    def __init__(self, start, stop, epochs):
        self.levels = [start + (stop - start) * i / max(1, epochs - 1) for i in range(epochs)]

    def on_train_epoch_start(self, trainer, pl_module):
        level = self.levels[min(trainer.current_epoch, len(self.levels) - 1)]
        trainer.datamodule.train_set.level = level
        pl_module.log("noise_level", level)
