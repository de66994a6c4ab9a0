"""Image captioning head: the trainer unwraps the model to reach a method."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Captioner(nn.Module):
    def __init__(self, vocab=5000, width=256):
        super().__init__()
        self.image = nn.Linear(1024, width)
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, feats, ids):
        hidden = self.image(feats)[None]
        states, _ = self.rnn(self.embed(ids), hidden)
        return self.out(states)

    def loss(self, feats, ids):
        logits = self(feats, ids[:, :-1])
        return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)


class Runner:
    def __init__(self, net, loader, sampler, device):
        self.model = DDP(net.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=4e-4)
        self.loader, self.sampler, self.device = loader, sampler, device

    def train_epoch(self, epoch):
        self.model.train()
        self.sampler.set_epoch(epoch)
        for feats, ids in self.loader:
            feats, ids = feats.to(self.device), ids.to(self.device)
            loss = self.model.module.loss(feats, ids)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.optimizer.step()

    def save(self, path):
        if dist.get_rank() == 0:
            torch.save(self.model.module.state_dict(), path)


def main(epochs=15):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    blob = torch.load("captions.pt", map_location="cpu")
    data = TensorDataset(blob["feats"], blob["ids"])
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    runner = Runner(Captioner(), loader, sampler, device)
    for epoch in range(epochs):
        runner.train_epoch(epoch)
        runner.save("captioner.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
