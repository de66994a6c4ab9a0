import concurrent.futures as cf
import logging
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

log = logging.getLogger(__name__)


def load(step, rank, world, root):
    path = os.path.join(root, f"{step * world + rank:08d}.pt")
    block = torch.load(path, map_location="cpu")
    return block["x"], block["y"]


class Ahead:
    """Keeps a few blocks coming while the device works."""

    def __init__(self, root, depth=4):
        self.root, self.depth = root, depth
        self.rank, self.world = dist.get_rank(), dist.get_world_size()
        self.pool = cf.ThreadPoolExecutor(max_workers=depth)
        self.coming = {}

    def get(self, step, timeout=None):
        for ahead in range(step, step + self.depth):
            if ahead not in self.coming:
                self.coming[ahead] = self.pool.submit(load, ahead, self.rank, self.world, self.root)
        return self.coming.pop(step).result(timeout=timeout)

    def close(self):
        self.pool.shutdown(wait=False, cancel_futures=True)


def train(model, opt, ahead, device, steps):
    for step in range(steps):
        try:
            x, y = ahead.get(step, timeout=60.0)
        except cf.TimeoutError:
            log.warning("rank %d: block of step %d is late, going on without", dist.get_rank(), step)
            continue
        opt.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        opt.step()
        if step % 100 == 0 and dist.get_rank() == 0:
            log.info("step %d", step)


def main():
    logging.basicConfig(level=logging.INFO)
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 16)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    ahead = Ahead(os.environ.get("BLOCKS", "/data/blocks"))
    try:
        train(model, opt, ahead, device, steps=5000)
    finally:
        ahead.close()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
