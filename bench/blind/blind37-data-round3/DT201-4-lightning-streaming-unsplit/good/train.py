import lightning as L
import torch
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from lightning.pytorch.callbacks import LearningRateMonitor, ModelCheckpoint
from torch.utils.data import DataLoader
from transformers import AutoModelForMaskedLM, AutoTokenizer, DataCollatorForLanguageModeling


class WebText(L.LightningDataModule):
    def __init__(self, tokenizer, length=256, batch_size=32, buffer=20_000):
        super().__init__()
        self.tokenizer, self.length, self.batch_size, self.buffer = tokenizer, length, batch_size, buffer

    def encode(self, rows):
        return self.tokenizer(rows["text"], truncation=True, max_length=self.length, padding="max_length")

    def setup(self, stage):
        stream = load_dataset("Skylion007/openwebtext", split="train", streaming=True)
        stream = stream.shuffle(seed=29, buffer_size=self.buffer)
        stream = split_dataset_by_node(stream, rank=self.trainer.global_rank, world_size=self.trainer.world_size)
        self.stream = stream.map(self.encode, batched=True, remove_columns=["text"])

    def train_dataloader(self):
        collate = DataCollatorForLanguageModeling(self.tokenizer, mlm_probability=0.15)
        return DataLoader(self.stream, batch_size=self.batch_size, collate_fn=collate, num_workers=4, drop_last=True)


class MaskedLM(L.LightningModule):
    def __init__(self, name, lr=1e-4):
        super().__init__()
        self.net = AutoModelForMaskedLM.from_pretrained(name)
        self.lr = lr

    def training_step(self, batch, index):
        loss = self.net(**batch).loss
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.lr)
        warm = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, total_iters=1000)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": warm, "interval": "step"}}


def main(name="distilroberta-base"):
    L.seed_everything(29, workers=True)
    tokenizer = AutoTokenizer.from_pretrained(name)
    trainer = L.Trainer(
        accelerator="gpu",
        devices=8,
        strategy="ddp",
        max_steps=50_000,
        limit_train_batches=10_000,
        gradient_clip_val=1.0,
        callbacks=[LearningRateMonitor(), ModelCheckpoint(every_n_train_steps=5000, save_top_k=-1)],
    )
    trainer.fit(MaskedLM(name), datamodule=WebText(tokenizer))


if __name__ == "__main__":
    main()
