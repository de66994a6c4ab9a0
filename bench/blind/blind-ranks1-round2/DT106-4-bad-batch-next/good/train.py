import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from reader import Lines, RecordError, parse

log = logging.getLogger("train")
WIDTH = 6


class Loop:
    def __init__(self, model, opt, device):
        self.model, self.opt, self.device = model, opt, device
        self.skipped = 0

    def update(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
        loss.backward()
        self.opt.step()

    def run(self, lines):
        for line in lines:
            try:
                x, y = parse(line, WIDTH)
            except RecordError as error:
                self.skipped += 1
                log.warning("record replaced by zeros: %s", error)
                x, y = torch.zeros(WIDTH), torch.zeros(1)
            self.update(x, y)


def main(folder, steps):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(WIDTH, 1).to(device), device_ids=[local_rank] if cuda else None)
    loop = Loop(model, torch.optim.SGD(model.parameters(), lr=0.01), device)
    loop.run(Lines(folder, dist.get_rank(), steps))
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(os.environ.get("RECORDS", "records"), int(os.environ.get("STEPS", "40")))
