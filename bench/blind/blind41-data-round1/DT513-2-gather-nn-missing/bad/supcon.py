import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def supcon(features, labels, temperature=0.1):
    logits = features @ features.T / temperature
    logits = logits - 1e9 * torch.eye(len(logits), device=logits.device)
    same = (labels[:, None] == labels[None]).float()
    same.fill_diagonal_(0)
    logp = logits.log_softmax(1)
    return -((same * logp).sum(1) / same.sum(1).clamp_min(1)).mean()


class SupCon(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))

    def training_step(self, batch, batch_idx):
        x, y = batch
        z = F.normalize(self.encoder(x), dim=-1)
        z_all = self.all_gather(z).flatten(0, 1)
        y_all = self.all_gather(y).flatten(0, 1)
        loss = supcon(z_all, y_all)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(0)
    data = TensorDataset(torch.randn(4096, 32), torch.randint(0, 10, (4096,)))
    loader = DataLoader(data, batch_size=64, shuffle=True, drop_last=True)
    L.Trainer(accelerator="cpu", devices=2, strategy="ddp", max_epochs=2).fit(SupCon(), loader)


if __name__ == "__main__":
    main()
