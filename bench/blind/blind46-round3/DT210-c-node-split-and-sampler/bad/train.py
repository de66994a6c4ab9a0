import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from corpus import Place, training_loader


class Bag(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.emb = nn.EmbeddingBag(256, 64, padding_idx=0)
        self.out = nn.Linear(64, classes)

    def forward(self, ids):
        return self.out(self.emb(ids))


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    loader = training_loader(Place(dist.get_rank(), dist.get_world_size()), 64)
    torch.manual_seed(0)
    model = DDP(Bag().to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for batch in loader:
            optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(model(batch["ids"].to(device)), batch["label"].to(device)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
