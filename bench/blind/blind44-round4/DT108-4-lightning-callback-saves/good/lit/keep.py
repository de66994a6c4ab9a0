import os

from lightning.pytorch.callbacks import Callback


class KeepEvery(Callback):
    def __init__(self, folder, every):
        self.folder, self.every = folder, every

    def path(self, epoch):
        return os.path.join(self.folder, f"{epoch:04d}.ckpt")

    def on_train_epoch_end(self, trainer, module):
        epoch = trainer.current_epoch
        if (epoch + 1) % self.every:
            return
        trainer.save_checkpoint(self.path(epoch))
        if trainer.is_global_zero:
            print("kept", self.path(epoch))
