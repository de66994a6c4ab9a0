import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class MixUp:
    def __init__(self, alpha, seed):
        self.beta = torch.distributions.Beta(alpha, alpha)
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, x, y):
        lam = torch.rand(len(x), 1, generator=self.generator)
        order = torch.randperm(len(x), generator=self.generator)
        return lam * x + (1 - lam) * x[order], y, y[order], lam[:, 0]


def main(epochs=3, seed=11):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    x = torch.randn(4000, 20)
    data = TensorDataset(x, x[:, :5].argmax(1))
    sampler = DistributedSampler(data, seed=seed)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    mix = MixUp(0.4, seed)
    model = DDP(nn.Linear(20, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            mixed, a, b, lam = mix(xb, yb)
            logits = model(mixed)
            loss = (lam * F.cross_entropy(logits, a, reduction="none")).mean()
            loss = loss + ((1 - lam) * F.cross_entropy(logits, b, reduction="none")).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
