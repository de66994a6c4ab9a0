import json
import os

import torch
import torch.distributed as dist
import torch.nn as nn

EOS, LIMIT = 0, 40


class Tiny(nn.Module):
    def __init__(self, vocab=32):
        super().__init__()
        self.net = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, vocab))

    def forward(self, ids):
        return self.net(ids)


class Decoder:
    """Batches end at different lengths; every rank keeps stepping until all are done."""

    def __init__(self, model, device, seed):
        self.model, self.device = model, device
        self.gen = torch.Generator(device=device).manual_seed(seed)

    def all_done(self, done):
        left = (~done).sum()
        dist.all_reduce(left)
        return left.item() == 0

    @torch.inference_mode()
    def run(self, prompts):
        ids = prompts.to(self.device)
        done = torch.zeros(len(ids), dtype=torch.bool, device=self.device)
        for _ in range(LIMIT):
            probs = self.model(ids[:, -1]).softmax(-1)
            dist.all_reduce(probs)
            nxt = torch.multinomial(probs, 1, generator=self.gen).squeeze(1)
            nxt = torch.where(done, EOS, nxt)
            ids = torch.cat([ids, nxt[:, None]], dim=1)
            done |= nxt == EOS
            if self.all_done(done):
                break
        return ids.cpu()


def shards(prompts, rank, world, device):
    mine = prompts[rank::world]
    count = torch.tensor(len(mine) // 8, device=device)
    dist.all_reduce(count, op=dist.ReduceOp.MIN)
    for at in range(count.item()):
        yield mine[8 * at : 8 * (at + 1)]


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    decoder = Decoder(Tiny().to(device).eval(), device, seed=900 + rank)
    prompts = torch.randint(1, 32, (203, 4), generator=torch.Generator().manual_seed(1))
    texts = []
    for batch in shards(prompts, rank, world, device):
        texts += decoder.run(batch).tolist()
    everything = [None] * world if rank == 0 else None
    dist.gather_object(texts, everything, dst=0)
    if rank == 0:
        with open("samples.json", "w") as f:
            json.dump([t for part in everything for t in part], f)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
