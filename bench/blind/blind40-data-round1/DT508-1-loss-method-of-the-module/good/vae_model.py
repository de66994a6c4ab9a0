import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, dim=32, latent=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 64), nn.ELU(), nn.Linear(64, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 64), nn.ELU(), nn.Linear(64, dim))

    def loss(self, x):
        mean, log_var = self.encoder(x).chunk(2, dim=-1)
        z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
        rebuilt = F.mse_loss(self.decoder(z), x, reduction="none").sum(-1)
        kl = -0.5 * (1 + log_var - mean.pow(2) - log_var.exp()).sum(-1)
        return (rebuilt + kl).mean()

    def forward(self, x):
        return self.loss(x)
