import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Tagger(nn.Module):
    def __init__(self, vocab=1000, tags=12, dim=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.encoder = nn.LSTM(dim, dim // 2, batch_first=True, bidirectional=True)
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        return self.out(self.encoder(self.emb(ids))[0])


def sentences(n=8192, length=20):
    gen = torch.Generator().manual_seed(50)
    ids = torch.randint(0, 1000, (n, length), generator=gen)
    return TensorDataset(ids, ids % 12)


def main(epochs=2, accumulate=8):
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy="ddp", precision="bf16-mixed")
    fabric.launch()
    torch.manual_seed(0)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer = fabric.setup(model, optimizer)
    loader = fabric.setup_dataloaders(DataLoader(sentences(), batch_size=16, shuffle=True, drop_last=True))
    for epoch in range(epochs):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        for index, (ids, tags) in enumerate(loader):
            stepping = (index + 1) % accumulate == 0
            with fabric.no_backward_sync(model, enabled=stepping):
                logits = model(ids)
                loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten())
                fabric.backward(loss / accumulate)
            if stepping:
                fabric.clip_gradients(model, optimizer, max_norm=1.0)
                optimizer.step()
                optimizer.zero_grad()
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch}: {mean.item():.3f}")
    fabric.save("tagger.ckpt", {"model": model})


if __name__ == "__main__":
    main()
