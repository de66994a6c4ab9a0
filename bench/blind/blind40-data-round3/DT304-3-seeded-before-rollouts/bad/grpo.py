import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

PROMPTS = torch.arange(32).view(8, 4) % 16


class Policy(nn.Module):
    def __init__(self, vocab=16, dim=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        return self.out(self.rnn(self.embed(tokens))[0])


@torch.no_grad()
def complete(policy, prompts, length, temperature):
    tokens = prompts
    for _ in range(length):
        logits = policy(tokens)[:, -1] / temperature
        nxt = torch.multinomial(logits.softmax(-1), 1)
        tokens = torch.cat([tokens, nxt], dim=1)
    return tokens


def reward(completions):
    return (completions[:, 4:] % 2 == 0).float().mean(1)


def main(iterations=100, group=8, seed=0):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(seed)
    model = DDP(Policy().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    prompts = PROMPTS.to(device).repeat_interleave(group, dim=0)
    for _ in range(iterations):
        tokens = complete(model.module, prompts, 12, 1.0)
        r = reward(tokens).view(-1, group)
        advantage = ((r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-4)).flatten()
        logp = F.log_softmax(model(tokens[:, :-1]), dim=-1)
        taken = logp.gather(-1, tokens[:, 1:].unsqueeze(-1)).squeeze(-1)[:, 3:].sum(1)
        loss = -(advantage * taken).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
