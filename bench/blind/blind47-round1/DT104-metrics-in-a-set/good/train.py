import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from metrics import MetricBook


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(512, 10)
    dataset = TensorDataset(x, (x[:, 0] > 0).long())
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(10, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    book = MetricBook()
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for a, b in loader:
            logits = model(a)
            loss = nn.functional.cross_entropy(logits, b)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            book.put("loss", loss)
            book.put("accuracy", (logits.argmax(1) == b).float().mean())
            book.put("margin", (logits[:, 1] - logits[:, 0]).abs().mean())
        summary = book.averaged(len(loader))
        if dist.get_rank() == 0:
            print(epoch, summary)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
