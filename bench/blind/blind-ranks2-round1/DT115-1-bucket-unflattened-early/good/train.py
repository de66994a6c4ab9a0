import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from buckets import BucketedReducer


def main():
    use_cuda = torch.cuda.is_available()
    device = torch.device("cpu")
    if use_cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        device = torch.device("cuda", torch.cuda.current_device())
    dist.init_process_group(backend="nccl" if use_cuda else "gloo")
    torch.manual_seed(42)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
    for tensor in model.state_dict().values():
        dist.broadcast(tensor, src=0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    reducer = BucketedReducer(model.parameters())
    generator = torch.Generator().manual_seed(8)
    dataset = TensorDataset(torch.randn(1024, 64, generator=generator), torch.randint(0, 10, (1024,), generator=generator))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        running = torch.zeros(1, device=device)
        for features, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(features.to(device)), target.to(device))
            loss.backward()
            reducer.launch()
            running += loss.detach()
            reducer.finish()
            optimizer.step()
        dist.all_reduce(running)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {running.item() / len(loader) / dist.get_world_size():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
