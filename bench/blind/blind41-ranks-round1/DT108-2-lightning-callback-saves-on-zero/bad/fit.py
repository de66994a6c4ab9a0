from pathlib import Path

import lightning as L
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.strategies import FSDPStrategy

from module import Data, Regressor


class EveryNEpochs(Callback):
    def __init__(self, folder, every=2):
        self.folder, self.every = Path(folder), every

    def on_train_epoch_end(self, trainer, pl_module):
        epoch = trainer.current_epoch
        if (epoch + 1) % self.every:
            return
        target = self.folder / f"epoch={epoch}.ckpt"
        if trainer.is_global_zero:
            self.folder.mkdir(parents=True, exist_ok=True)
            trainer.save_checkpoint(target)
            print("wrote", target)


def main():
    L.seed_everything(9)
    trainer = L.Trainer(
        max_epochs=6,
        devices=4,
        accelerator="gpu",
        strategy=FSDPStrategy(sharding_strategy="FULL_SHARD"),
        callbacks=[EveryNEpochs("snapshots")],
        enable_checkpointing=False,
    )
    trainer.fit(Regressor(), datamodule=Data())


if __name__ == "__main__":
    main()
