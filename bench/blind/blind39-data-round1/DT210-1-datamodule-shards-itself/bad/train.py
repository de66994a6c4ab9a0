import lightning as L
import torch
import torch.nn.functional as F
from datasets import load_dataset
from torch import nn
from torch.utils.data import DataLoader
from transformers import AutoTokenizer


class ReviewData(L.LightningDataModule):
    def __init__(self, batch_size=32, max_len=128):
        super().__init__()
        self.batch_size = batch_size
        self.max_len = max_len
        self.tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")

    def prepare_data(self):
        load_dataset("imdb")

    def _encode(self, batch):
        return self.tokenizer(batch["text"], truncation=True, padding="max_length", max_length=self.max_len)

    def setup(self, stage=None):
        ds = load_dataset("imdb", split="train").shuffle(seed=13)
        ds = ds.select(range(24_576))
        ds = ds.shard(num_shards=self.trainer.world_size, index=self.trainer.global_rank, contiguous=True)
        ds = ds.map(self._encode, batched=True, remove_columns=["text"])
        self.train = ds.with_format("torch")

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True, drop_last=True, num_workers=4)


class Classifier(L.LightningModule):
    def __init__(self, vocab=30522, dim=128, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.head = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, 2))

    def training_step(self, batch, batch_idx):
        mask = batch["attention_mask"].unsqueeze(-1)
        pooled = (self.emb(batch["input_ids"]) * mask).sum(1) / mask.sum(1)
        loss = F.cross_entropy(self.head(pooled), batch["label"])
        self.log("train/loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main():
    L.seed_everything(3, workers=True)
    trainer = L.Trainer(
        accelerator="gpu", devices=4, strategy="ddp", max_epochs=2, precision="bf16-mixed", logger=False
    )
    trainer.fit(Classifier(), datamodule=ReviewData())


if __name__ == "__main__":
    main()
