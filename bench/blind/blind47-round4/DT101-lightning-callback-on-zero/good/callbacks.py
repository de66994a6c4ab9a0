import lightning as L
from lightning.pytorch.utilities import rank_zero_only


class Throughput(L.Callback):
    def __init__(self, every: int = 50):
        self.every = every

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if (batch_idx + 1) % self.every == 0:
            count = pl_module.samples_everywhere()
            if trainer.is_global_zero:
                print(f"{count:.0f} samples so far")
