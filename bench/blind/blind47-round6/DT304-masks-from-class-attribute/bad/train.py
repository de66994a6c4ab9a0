import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from masking import Masker


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    data = TensorDataset(torch.randint(1, 50, (512, 16)))
    sampler = DistributedSampler(data)
    model = DistributedDataParallel(nn.Sequential(nn.Embedding(50, 32), nn.Linear(32, 50)))
    optimizer = torch.optim.AdamW(model.parameters())
    masker = Masker()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (tokens,) in DataLoader(data, 32, sampler=sampler):
            given, mask = masker(tokens)
            if not mask.any():
                mask[0, 0] = True
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(given)[mask], tokens[mask]).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
