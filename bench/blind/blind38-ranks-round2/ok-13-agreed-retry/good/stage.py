import logging
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger(__name__)


class Blocks:
    """Reads block after block; ranks leave `fetch` together, with data or with an error."""

    def __init__(self, root, device, attempts=5):
        self.root, self.device, self.attempts = root, device, attempts
        self.rank, self.world = dist.get_rank(), dist.get_world_size()

    def read(self, number):
        path = os.path.join(self.root, f"block_{number * self.world + self.rank:06d}.pt")
        return torch.load(path, map_location=self.device)

    def fetch(self, number):
        block = None
        for attempt in range(self.attempts):
            if block is None:
                try:
                    block = self.read(number)
                except OSError as err:
                    log.warning("block %d: %s", number, err)
                    time.sleep(2**attempt)
            missing = torch.tensor(float(block is None), device=self.device)
            dist.all_reduce(missing)
            if missing.item() == 0:
                return block
        raise RuntimeError(f"block {number} could not be read on {int(missing.item())} ranks")


def main():
    logging.basicConfig(level=logging.INFO)
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(128, 10).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    blocks = Blocks(os.environ.get("BLOCKS", "/mnt/blocks"), device)
    for number in range(200):
        block = blocks.fetch(number)
        opt.zero_grad()
        F.cross_entropy(model(block["x"]), block["y"]).backward()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
