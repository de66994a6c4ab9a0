import torch
from torch import nn


class PatchMAE(nn.Module):
    def __init__(self, patches=64, dim=48, width=128, keep=0.25):
        super().__init__()
        self.keep = int(patches * keep)
        self.embed = nn.Linear(dim, width)
        self.position = nn.Parameter(torch.zeros(1, patches, width))
        layer = nn.TransformerEncoderLayer(width, 4, 2 * width, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.decoder = nn.Linear(width, dim)

    def forward(self, patches, scores):
        visible = scores.argsort(dim=1)[:, : self.keep]
        tokens = self.embed(patches) + self.position
        rows = visible.unsqueeze(-1).expand(-1, -1, tokens.size(-1))
        code = self.encoder(tokens.gather(1, rows)).mean(1, keepdim=True)
        restored = self.decoder(code + self.position)
        hidden = torch.ones_like(scores).scatter_(1, visible, 0.0)
        error = (restored - patches).square().mean(-1)
        return (error * hidden).sum() / hidden.sum()
