import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class GAN(L.LightningModule):
    def __init__(self, latent=8):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.generator = nn.Sequential(nn.Linear(latent, 32), nn.ReLU(), nn.Linear(32, 2))
        self.critic = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def on_fit_start(self):
        self.noise = torch.Generator(device=self.device).manual_seed(1000 + self.global_rank)

    def fake(self, n):
        z = torch.randn(n, self.hparams.latent, device=self.device, generator=self.noise)
        return self.generator(z)

    def training_step(self, batch, index):
        (real,) = batch
        opt_g, opt_d = self.optimizers()
        self.toggle_optimizer(opt_d)
        loss_d = F.softplus(-self.critic(real)).mean() + F.softplus(self.critic(self.fake(len(real)).detach())).mean()
        opt_d.zero_grad()
        self.manual_backward(loss_d)
        opt_d.step()
        self.untoggle_optimizer(opt_d)
        self.toggle_optimizer(opt_g)
        loss_g = F.softplus(-self.critic(self.fake(len(real)))).mean()
        opt_g.zero_grad()
        self.manual_backward(loss_g)
        opt_g.step()
        self.untoggle_optimizer(opt_g)
        self.log_dict({"d": loss_d, "g": loss_g}, prog_bar=True)

    def configure_optimizers(self):
        g = torch.optim.Adam(self.generator.parameters(), lr=2e-4, betas=(0.5, 0.99))
        d = torch.optim.Adam(self.critic.parameters(), lr=2e-4, betas=(0.5, 0.99))
        return [g, d], []


def main():
    L.seed_everything(3, workers=True)
    angle = torch.rand(4096, 1, generator=torch.Generator().manual_seed(0)) * 6.283
    ring = TensorDataset(torch.cat([angle.cos(), angle.sin()], 1))
    loader = DataLoader(ring, batch_size=64, shuffle=True, drop_last=True, num_workers=2)
    trainer = L.Trainer(max_epochs=5, devices=2, accelerator="auto", strategy="ddp_find_unused_parameters_true")
    trainer.fit(GAN(), loader)


if __name__ == "__main__":
    main()
