import glob
import os

import horovod.torch as hvd
import numpy as np
import torch
import torch.nn as nn


class ByteModel(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.mix = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, 256)

    def forward(self, tokens):
        out, _ = self.mix(self.embed(tokens))
        return self.head(out)


def files_of_rank(folder):
    files = sorted(glob.glob(os.path.join(folder, "part-*.npy")))
    whole = len(files) - len(files) % hvd.size()
    return files[:whole][hvd.rank() :: hvd.size()]


def device():
    if torch.cuda.is_available():
        torch.cuda.set_device(hvd.local_rank())
        return torch.device("cuda", hvd.local_rank())
    return torch.device("cpu")


def main(folder="corpus", epochs=2):
    hvd.init()
    dev = device()
    torch.manual_seed(0)
    model = ByteModel().to(dev)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    criterion = nn.CrossEntropyLoss()
    mine = files_of_rank(folder)
    for epoch in range(epochs):
        for path in mine:
            tokens = torch.from_numpy(np.load(path).astype(np.int64)).to(dev)
            logits = model(tokens[:, :-1])
            loss = criterion(logits.flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            for name, param in model.named_parameters():
                param.grad.copy_(hvd.allreduce(param.grad, name=name, op=hvd.Average))
            optimizer.step()
        mean = hvd.allreduce(loss.detach(), name="epoch_loss")
        if hvd.rank() == 0:
            print(f"epoch {epoch} last loss {mean.item():.3f}", flush=True)
            torch.save(model.state_dict(), f"bytes-{epoch}.pt")
    hvd.shutdown()


if __name__ == "__main__":
    main()
