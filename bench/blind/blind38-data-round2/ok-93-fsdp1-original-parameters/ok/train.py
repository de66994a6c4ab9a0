"""FSDP1 with use_orig_params: groups by name are taken after the wrap, the norm comes from the wrapper."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel as FSDP, StateDictType
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.net = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        return x + self.net(self.norm(x))


def grouped(model, decay):
    named = list(model.named_parameters())
    plain = [p for name, p in named if name.endswith("bias") or ".norm." in name]
    rest = [p for name, p in named if not (name.endswith("bias") or ".norm." in name)]
    return [{"params": rest, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0}]


def save(model, path):
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(offload_to_cpu=True, rank0_only=True)):
        state = model.state_dict()
    if dist.get_rank() == 0:
        torch.save(state, path)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(256, 512), *(Mixer(512) for _ in range(8)), nn.Linear(512, 20))
    model = FSDP(
        net, auto_wrap_policy=ModuleWrapPolicy({Mixer}), use_orig_params=True, device_id=local, sync_module_states=True
    )
    optimizer = torch.optim.AdamW(grouped(model, 0.05), lr=5e-4)
    data = TensorDataset(torch.randn(20_000, 256, generator=torch.Generator().manual_seed(1)), torch.arange(20_000) % 20)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 100, sampler=sampler, drop_last=True)
    board = SummaryWriter("runs/mixer") if dist.get_rank() == 0 else None
    step = 0
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            norm = model.clip_grad_norm_(1.0)
            optimizer.step()
            step += 1
            if board is not None and step % 25 == 0:
                board.add_scalar("gradient norm", norm.item(), step)
        save(model, f"mixer-{epoch}.pt")
    if board is not None:
        board.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
