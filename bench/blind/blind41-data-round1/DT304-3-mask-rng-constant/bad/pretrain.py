import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from masking import PatchMasker


class Mae(nn.Module):
    def __init__(self, patches=64, width=48):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(width))
        self.body = nn.TransformerEncoderLayer(width, 4, batch_first=True)
        self.head = nn.Linear(width, width)

    def forward(self, patches, mask):
        mixed = torch.where(mask[..., None].bool(), self.token, patches)
        return self.head(self.body(mixed))


def main(epochs=2, seed=0):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    images = torch.randn(1024, 64, 48)
    sampler = DistributedSampler(images, shuffle=True)
    loader = DataLoader(images, batch_size=16, sampler=sampler, drop_last=True)
    masker = PatchMasker(64, 0.75, seed)
    model = DDP(Mae())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for patches in loader:
            mask = masker(len(patches))
            error = (model(patches, mask) - patches).pow(2).mean(-1)
            loss = (error * mask).sum() / mask.sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
