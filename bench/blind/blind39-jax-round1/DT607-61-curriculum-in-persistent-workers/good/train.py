import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from curriculum import GrowingSequences


class TinyGru(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    def forward(self, tokens):
        return self.head(self.rnn(self.embed(tokens))[0])


def main(epochs=12, vocab=512):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(1)
    dataset = GrowingSequences(torch.load("rows.pt", map_location="cpu"), lengths=(32, 64, 128, 256))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(
        dataset,
        batch_size=32,
        sampler=sampler,
        num_workers=4,
        persistent_workers=False,
        drop_last=True,
    )
    model = DistributedDataParallel(TinyGru(vocab, 256).cuda(), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for tokens in loader:
            tokens = tokens.cuda(non_blocking=True)
            logits = model(tokens[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if (epoch + 1) % 3 == 0:
            dataset.advance()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "gru.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
