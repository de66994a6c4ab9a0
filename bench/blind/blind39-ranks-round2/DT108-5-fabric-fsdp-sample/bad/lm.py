import torch
from lightning.fabric import Fabric, seed_everything
from lightning.fabric.strategies import FSDPStrategy
from torch import nn
from torch.utils.data import DataLoader, Dataset

VOCAB = 32


class Sequences(Dataset):
    def __init__(self, n=640, length=24):
        g = torch.Generator().manual_seed(6)
        start = torch.randint(0, VOCAB, (n, 1), generator=g)
        self.rows = (start + torch.arange(length)) % VOCAB

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i, :-1], self.rows[i, 1:]


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.rnn(self.norm(x))[0]


class Lm(nn.Module):
    def __init__(self, dim=48, depth=2):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, dim)
        self.layers = nn.Sequential(*(Layer(dim) for _ in range(depth)))
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, ids):
        return self.head(self.layers(self.tokens(ids)))


@torch.no_grad()
def sample(model, device, length=12):
    ids = torch.zeros(1, 1, dtype=torch.long, device=device)
    for _ in range(length):
        logits = model(ids)[:, -1]
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return ids[0].tolist()


def main():
    fabric = Fabric(accelerator="auto", devices=2, strategy=FSDPStrategy(auto_wrap_policy={Layer}))
    fabric.launch()
    seed_everything(1)
    model = fabric.setup_module(Lm())
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-3))
    loader = fabric.setup_dataloaders(DataLoader(Sequences(), batch_size=16, shuffle=True, drop_last=True))
    for epoch in range(3):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
            fabric.backward(loss)
            optimizer.step()
        model.eval()
        if fabric.is_global_zero:
            print(epoch, sample(model, fabric.device))
        model.train()
    fabric.save("lm.ckpt", {"model": model, "epoch": 3})


if __name__ == "__main__":
    main()
