from torch import nn


class Lm(nn.Module):
    def __init__(self, vocab=200, dim=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.body = nn.GRU(dim, dim, 2, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, x):
        return self.out(self.body(self.emb(x))[0])
