import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from speech.dist import finish, init
from speech.loaders import Utterances, advance, make_loader


class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.GRU(8, 16, batch_first=True)
        self.dec = nn.Linear(16, 8)

    def forward(self, x):
        return self.dec(self.enc(x)[0])


class Trainer:
    def __init__(self, device, epochs):
        self.device, self.epochs = device, epochs
        torch.manual_seed(1234)
        self.model = DDP(AutoEncoder().to(device), device_ids=[device.index] if device.type == "cuda" else None)
        self.optim = torch.optim.Adam(self.model.parameters())
        self.loader = make_loader(Utterances(), 24)

    def run(self):
        for epoch in range(self.epochs):
            advance(self.loader, epoch)
            self.one_epoch()

    def one_epoch(self):
        for feats in self.loader:
            feats = feats.to(self.device)
            loss = (self.model(feats) - feats).pow(2).mean()
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()


if __name__ == "__main__":
    trainer = Trainer(init(), epochs=4)
    trainer.run()
    finish()
