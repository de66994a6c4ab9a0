"""Global 'parallel state' in the Megatron manner: module globals, getters, assertions; pipeline-less data/tensor groups."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset

_TENSOR_GROUP = None
_DATA_GROUP = None
_ARGS = None


def initialize_model_parallel(tensor_size):
    global _TENSOR_GROUP, _DATA_GROUP
    assert _TENSOR_GROUP is None, "already initialised"
    world = dist.get_world_size()
    if world % tensor_size != 0:
        raise RuntimeError(f"{world} ranks cannot be divided by {tensor_size}")
    rank = dist.get_rank()
    for i in range(world // tensor_size):
        ranks = range(i * tensor_size, (i + 1) * tensor_size)
        group = dist.new_group(ranks)
        if rank in ranks:
            _TENSOR_GROUP = group
    for i in range(tensor_size):
        ranks = range(i, world, tensor_size)
        group = dist.new_group(ranks)
        if rank in ranks:
            _DATA_GROUP = group


def tensor_group():
    assert _TENSOR_GROUP is not None
    return _TENSOR_GROUP


def data_group():
    assert _DATA_GROUP is not None
    return _DATA_GROUP


def tensor_rank():
    return dist.get_rank(group=tensor_group())


def tensor_source():
    return dist.get_rank() // _ARGS.tensor * _ARGS.tensor


def print_rank_last(text):
    if dist.get_rank() == dist.get_world_size() - 1:
        print(text, flush=True)


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        dist.all_reduce(x, group=tensor_group())
        return x

    @staticmethod
    def backward(ctx, g):
        return g


class Copy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        dist.all_reduce(g, group=tensor_group())
        return g


class ParallelMLP(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        part = h // dist.get_world_size(tensor_group())
        self.up, self.down = nn.Linear(d, part), nn.Linear(part, d, bias=False)
        self.bias = nn.Parameter(torch.zeros(d))

    def forward(self, x):
        return Sum.apply(self.down(torch.relu(self.up(Copy.apply(x))))) + self.bias


class Rows(Dataset):
    def __len__(self):
        return 1 << 14

    def __getitem__(self, i):
        return torch.randn(64, generator=torch.Generator().manual_seed(i))


class DataSampler:
    def __init__(self, total, micro, rank, size, consumed=0):
        self.total, self.micro, self.rank, self.size, self.consumed = total, micro, rank, size, consumed

    def __len__(self):
        return self.total // (self.micro * self.size)

    def __iter__(self):
        batch = []
        for i in range(self.consumed, self.total):
            batch.append(i)
            if len(batch) == self.micro * self.size:
                start = self.rank * self.micro
                yield batch[start : start + self.micro]
                batch = []


def get_batch(iterator):
    if tensor_rank() == 0:
        data = next(iterator).cuda()
        shape = torch.tensor(data.shape, device="cuda")
    else:
        shape = torch.empty(2, dtype=torch.long, device="cuda")
    dist.broadcast(shape, tensor_source(), group=tensor_group())
    if tensor_rank() != 0:
        data = torch.empty(*shape.tolist(), device="cuda")
    dist.broadcast(data, tensor_source(), group=tensor_group())
    return data


def main():
    global _ARGS
    parser = argparse.ArgumentParser()
    parser.add_argument("--tensor", type=int, default=2)
    parser.add_argument("--micro", type=int, default=8)
    parser.add_argument("--iters", type=int, default=1000)
    parser.add_argument("--log-interval", type=int, default=50)
    _ARGS = parser.parse_args()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    initialize_model_parallel(_ARGS.tensor)
    torch.manual_seed(1000 + tensor_rank())
    model = DDP(ParallelMLP(64, 256).cuda(), device_ids=[local], process_group=data_group())
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    sampler = DataSampler(len(Rows()), _ARGS.micro, dist.get_rank(data_group()), dist.get_world_size(data_group()))
    iterator = iter(DataLoader(Rows(), batch_sampler=sampler, num_workers=2)) if tensor_rank() == 0 else None
    for it in range(1, _ARGS.iters + 1):
        x = get_batch(iterator)
        loss = (model(x) - x.flip(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if it % _ARGS.log_interval == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean, group=data_group())
            mean /= dist.get_world_size(data_group())
            print_rank_last(f"iteration {it} loss {mean.item():.5f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
