import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from nets import TwoHeads


def objective(model, x, y, aux):
    logits, again = model(x, with_reconstruction=aux)
    loss = nn.functional.cross_entropy(logits, y)
    if again is not None:
        loss = loss + 0.05 * nn.functional.mse_loss(again, x)
    return loss


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(TwoHeads().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(880, 22, generator=torch.Generator().manual_seed(12))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=22, sampler=sampler, drop_last=True)
    # one rank is enough to watch the quality of the representation
    aux = rank == 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            loss = objective(model, xb.to(device), yb.to(device), aux)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "heads.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
