import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from collate import MaskingCollator


class Sentences(Dataset):
    def __init__(self, n=2000, length=24, vocab=60):
        self.rows = torch.randint(1, vocab, (n, length), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i].clone()


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(60, 32), nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 60)).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    torch.manual_seed(1 + dist.get_rank())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Sentences()
    sampler = DistributedSampler(data, drop_last=True)
    collate = MaskingCollator(0.15, mask_id=0, seed=1000 * dist.get_rank())
    loader = DataLoader(data, 32, sampler=sampler, collate_fn=collate, num_workers=4, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for tokens, targets in loader:
            logits = model(tokens.to(device))
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten().to(device), ignore_index=-100)
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
