from torch import nn


class TwoTowers(nn.Module):
    def __init__(self, width, use_aux=False):
        super().__init__()
        self.main = nn.Linear(width, 1)
        self.aux = nn.Linear(width, 1)
        self.use_aux = use_aux

    def forward(self, x):
        score = self.main(x)
        if self.use_aux:
            score = score + self.aux(x)
        return score
