import torch
import torch.nn as nn


class LayerDropEncoder(nn.Module):
    def __init__(self, width=256, heads=4, depth=12, drop=0.1):
        super().__init__()
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(width, heads, 4 * width, batch_first=True) for _ in range(depth))
        self.drop = drop

    def forward(self, x):
        for layer in self.layers:
            if self.training and torch.rand(()).item() < self.drop:
                continue
            x = layer(x)
        return x


class Classifier(nn.Module):
    def __init__(self, vocab=5000, width=256, classes=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.encoder = LayerDropEncoder(width)
        self.head = nn.Linear(width, classes)

    def forward(self, ids):
        return self.head(self.encoder(self.emb(ids)).mean(dim=1))
