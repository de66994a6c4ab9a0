import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class TwoViews(Dataset):
    def __init__(self, n=1024, dim=32):
        self.x = torch.randn(n, dim, generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)


class SimCLR(L.LightningModule):
    def __init__(self, temperature=0.1):
        super().__init__()
        self.temperature = temperature
        self.net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 16))

    def info_nce(self, a, b):
        z = torch.cat([a, b])
        sim = F.cosine_similarity(z[:, None], z[None], dim=-1) / self.temperature
        eye = torch.eye(len(z), dtype=torch.bool, device=z.device)
        sim = sim.masked_fill(eye, -1e4)
        target = torch.arange(len(z), device=z.device).roll(len(a))
        return F.cross_entropy(sim, target)

    def training_step(self, batch, batch_idx):
        a, b = (self.net(view) for view in batch)
        a, b = (self.all_gather(z, sync_grads=True).flatten(0, 1) for z in (a, b))
        loss = self.info_nce(a, b)
        self.log("loss", loss, sync_dist=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    L.seed_everything(0, workers=True)
    loader = DataLoader(TwoViews(), batch_size=32, shuffle=True, num_workers=2, drop_last=True)
    L.Trainer(devices=2, strategy="ddp", max_epochs=3).fit(SimCLR(), loader)


if __name__ == "__main__":
    main()
