import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def room_for(nbytes, device, keep=0.1):
    if device.type != "cuda":
        return False
    free, total = torch.cuda.mem_get_info(device)
    return free - nbytes > keep * total


def gather_everything(part, device):
    world = dist.get_world_size()
    roomy = torch.tensor(int(room_for(part.nbytes * world, device)), device=device)
    dist.all_reduce(roomy, op=dist.ReduceOp.MIN)
    if roomy.item():
        whole = part.new_empty((world * len(part), part.shape[1]))
        dist.all_gather_into_tensor(whole, part.contiguous())
        return whole.cpu()
    parts = [None] * world
    dist.all_gather_object(parts, part.cpu())
    return torch.cat(parts)


@torch.no_grad()
def recall(net, loader, device):
    queries, keys = [], []
    for x, y in loader:
        queries.append(F.normalize(net(x.to(device)), dim=1))
        keys.append(F.normalize(net(y.to(device)), dim=1))
    q, k = gather_everything(torch.cat(queries), device), gather_everything(torch.cat(keys), device)
    return ((q @ k.T).argmax(1) == torch.arange(len(q))).float().mean().item()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 16)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(640, 20, generator=torch.Generator().manual_seed(1))
    noisy = x + 0.1 * torch.randn(640, 20, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, noisy)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            joined = F.normalize(model(torch.cat([a, b]).to(device)), dim=1)
            left, right = joined.chunk(2)
            loss = F.cross_entropy(left @ right.T / 0.1, torch.arange(len(left), device=device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        found = recall(net, loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: recall {found:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
