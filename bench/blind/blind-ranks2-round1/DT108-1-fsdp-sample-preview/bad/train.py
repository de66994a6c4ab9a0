import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from callbacks import Preview, WarmRestart


class Bigram(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens):
        x = self.embed(tokens)
        return self.out(x + self.mix(x))


class Trainer:
    def __init__(self, model, device, callbacks):
        self.device = device
        self.model = FSDP(model, use_orig_params=True, device_id=device, sync_module_states=device.type == "cuda")
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        self.callbacks = callbacks
        self.is_lead = dist.get_rank() == 0

    def fit(self, loader, sampler, epochs):
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for (tokens,) in loader:
                tokens = tokens.to(self.device)
                logits = self.model(tokens[:, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
                loss.backward()
                self.model.clip_grad_norm_(1.0)
                self.optimizer.step()
                self.optimizer.zero_grad(set_to_none=True)
            for callback in self.callbacks:
                callback.on_epoch_end(self, epoch)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(11)
    data = TensorDataset(torch.randint(0, 64, (256, 17), generator=torch.Generator().manual_seed(2)))
    sampler = DistributedSampler(data, drop_last=True, seed=7)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    trainer = Trainer(Bigram(64, 32), device, [WarmRestart(2, 1e-3), Preview([1, 2, 3])])
    try:
        trainer.fit(loader, sampler, epochs=3)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
