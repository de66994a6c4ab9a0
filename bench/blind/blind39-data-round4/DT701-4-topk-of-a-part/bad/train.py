import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Evaluation:
    """Top-1 and top-3 accuracy over the validation set."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    @torch.no_grad()
    def __call__(self, model):
        model.eval()
        counts = torch.zeros(3, device=self.device)
        for x, y in self.loader:
            y = y.to(self.device)
            ranked = model.module(x.to(self.device)).topk(3, dim=1).indices
            counts[0] += (ranked[:, 0] == y).sum()
            counts[1] += (ranked == y[:, None]).any(dim=1).sum()
            counts[2] += len(y)
        model.train()
        top1, top3 = (counts[:2] / counts[2]).tolist()
        return {"top1": top1, "top3": top3}


def rows(n, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 30, generator=gen)
    return TensorDataset(x, x[:, :10].argmax(dim=1))


def loader_of(data, train):
    return DataLoader(data, batch_size=50, sampler=DistributedSampler(data, shuffle=train, drop_last=train), drop_last=train)


def main(epochs=5):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 10)).to(device))
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    train, val = loader_of(rows(5000, 0), True), loader_of(rows(1000, 1), False)
    evaluate = Evaluation(val, device)
    for epoch in range(epochs):
        train.sampler.set_epoch(epoch)
        for x, y in train:
            opt.zero_grad(set_to_none=True)
            F.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        scores = evaluate(model)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} " + " ".join(f"{k} {v:.3f}" for k, v in scores.items()))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
