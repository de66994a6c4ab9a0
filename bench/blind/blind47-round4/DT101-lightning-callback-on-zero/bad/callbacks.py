import lightning as L
from lightning.pytorch.utilities import rank_zero_only


class Throughput(L.Callback):
    def __init__(self, every: int = 50):
        self.every = every

    @rank_zero_only
    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        if (batch_idx + 1) % self.every == 0:
            print(f"{pl_module.samples_everywhere():.0f} samples so far")
