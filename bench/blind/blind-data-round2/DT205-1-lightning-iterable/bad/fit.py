import lightning as L
import torch
import torch.nn.functional as F

from text import TextData


class Bigram(L.LightningModule):
    def __init__(self, lr=0.01):
        super().__init__()
        self.table = torch.nn.Embedding(64, 64)
        self.lr = lr

    def training_step(self, batch, batch_idx):
        logits = self.table(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


if __name__ == "__main__":
    L.seed_everything(1, workers=True)
    trainer = L.Trainer(
        accelerator="auto", devices=2, strategy="ddp", max_steps=20, logger=False, enable_checkpointing=False
    )
    trainer.fit(Bigram(), datamodule=TextData())
