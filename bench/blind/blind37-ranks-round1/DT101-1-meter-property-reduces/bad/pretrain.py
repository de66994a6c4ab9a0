import argparse
import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from meters import WindowMeter

logger = logging.getLogger("pretrain")


def corpus(n: int = 512, length: int = 24, vocab: int = 97) -> TensorDataset:
    g = torch.Generator().manual_seed(11)
    return TensorDataset(torch.randint(0, vocab, (n, length + 1), generator=g))


class TinyLM(nn.Module):
    def __init__(self, vocab: int = 97, width: int = 48) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, tokens):
        hidden, _ = self.rnn(self.embed(tokens))
        return self.out(hidden)


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--log-interval", type=int, default=4)
    p.add_argument("--out", default="tinylm.pt")
    return p.parse_args()


def run(args, device):
    torch.manual_seed(1)
    model = TinyLM().to(device)
    ddp = DistributedDataParallel(model, device_ids=[device.index] if device.type == "cuda" else None)
    opt = torch.optim.AdamW(ddp.parameters(), lr=3e-4)
    data = corpus()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    loss_meter = WindowMeter(device)
    step = 0
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (tokens,) in loader:
            tokens = tokens.to(device, non_blocking=True)
            logits = ddp(tokens[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            loss_meter.update(loss, n=tokens.numel())
            step += 1
            if step % args.log_interval == 0:
                if dist.get_rank() == 0:
                    logger.info("epoch %d step %d loss %.4f", epoch, step, loss_meter.mean)
                loss_meter.reset()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), args.out)


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        run(args, device)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
