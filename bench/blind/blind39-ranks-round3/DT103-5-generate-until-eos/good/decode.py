import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

EOS, VOCAB = 0, 30


class Lm(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, VOCAB)

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0])


def everyone_done(done):
    open_ones = (~done).sum()
    dist.all_reduce(open_ones)
    return open_ones.item() == 0


@torch.no_grad()
def decode(model, prompts, longest=40):
    tokens = prompts
    done = torch.zeros(len(prompts), dtype=torch.bool, device=prompts.device)
    for _ in range(longest):
        logits = model(tokens)[:, -1]
        following = torch.where(done, EOS, logits.argmax(dim=-1))
        tokens = torch.cat([tokens, following[:, None]], dim=1)
        done |= following == EOS
        if everyone_done(done):
            break
    return tokens


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = Lm().to(device)
    for part in (model.rnn, model.head):
        fully_shard(part)
    fully_shard(model)
    model.eval()
    prompts = torch.randint(1, VOCAB, (64, 5), generator=torch.Generator().manual_seed(2))
    data = TensorDataset(prompts)
    sampler = DistributedSampler(data, shuffle=False, drop_last=True)
    loader = DataLoader(data, batch_size=8, sampler=sampler, drop_last=True)
    written = []
    for (batch,) in loader:
        written.append(decode(model, batch.to(device)).cpu())
    torch.save(written, f"decoded_{rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
