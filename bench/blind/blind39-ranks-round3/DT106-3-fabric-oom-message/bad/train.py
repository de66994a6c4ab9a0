import torch
from lightning.fabric import Fabric
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    """Videos of varying length, padded by the collate function."""

    def __init__(self, n=400):
        g = torch.Generator().manual_seed(6)
        self.lengths = torch.randint(8, 64, (n,), generator=g).tolist()
        self.seed = 6

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(self.seed * 10_000 + i)
        return torch.randn(self.lengths[i], 16, generator=g), i % 4


def collate(samples):
    clips, labels = zip(*samples)
    return nn.utils.rnn.pad_sequence(clips, batch_first=True), torch.tensor(labels)


class Temporal(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(16, 32, batch_first=True)
        self.out = nn.Linear(32, 4)

    def forward(self, clips):
        return self.out(self.rnn(clips)[0][:, -1])


class Loop:
    def __init__(self, fabric, epochs):
        self.fabric, self.epochs = fabric, epochs
        net = Temporal()
        self.model, self.optimizer = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=1e-3))
        loader = DataLoader(Clips(), batch_size=10, shuffle=True, drop_last=True, collate_fn=collate)
        self.loader = fabric.setup_dataloaders(loader)

    def step(self, clips, labels):
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(clips), labels)
        self.fabric.backward(loss)
        self.optimizer.step()

    def run(self):
        for _ in range(self.epochs):
            for clips, labels in self.loader:
                try:
                    self.step(clips, labels)
                except torch.OutOfMemoryError:
                    self.fabric.print(f"no memory for clips of shape {tuple(clips.shape)}, left out")
                    torch.cuda.empty_cache()


def main():
    fabric = Fabric(accelerator="auto", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1)
    loop = Loop(fabric, epochs=2)
    loop.run()
    fabric.save("temporal.ckpt", {"model": loop.model})


if __name__ == "__main__":
    main()
