import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP

from generate import generate


class Lm(nn.Module):
    def __init__(self, vocab=200, dim=64):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        return self.out(self.mix(self.emb(tokens))[0])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = FSDP(Lm().cuda(), device_id=local_rank).eval()
    prompts = torch.randint(3, 200, (8, 5), generator=torch.Generator().manual_seed(rank)).cuda()
    tokens = generate(model, prompts, eos=2)
    torch.save(tokens.cpu(), f"generated_{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
