import os

import torch
import torch.distributed as dist
import torch.nn as nn

from session import Session


class Partial(nn.Module):
    """A language model whose hidden units are spread over the ranks; the caller adds up the logits."""

    def __init__(self, rank, world, vocab=50, width=64):
        super().__init__()
        torch.manual_seed(0)
        embed, out = torch.randn(vocab, width), torch.randn(width, vocab)
        self.embed = nn.Parameter(embed.chunk(world, dim=1)[rank].clone())
        self.out = nn.Parameter(out.chunk(world, dim=0)[rank].clone())

    def forward(self, ids):
        return torch.tanh(self.embed[ids]) @ self.out


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    session = Session(Partial(rank, world).to(device), device)
    if rank == 0:
        for prompt in ([1, 2, 3], [7], [4, 4]):
            print(prompt, "->", session.ask(prompt, length=5))
        session.stop()
    else:
        session.follow()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
