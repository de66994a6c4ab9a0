import time

import torch
import torch.distributed as dist


def is_last_rank():
    return dist.get_rank() == dist.get_world_size() - 1


class Throughput:
    def __init__(self, device):
        self.totals = torch.zeros(2, device=device)
        self.started = time.perf_counter()

    def add(self, loss, samples):
        self.totals += torch.stack([loss.detach() * samples, torch.tensor(float(samples), device=loss.device)])

    def report(self, epoch):
        dist.reduce(self.totals, dst=dist.get_world_size() - 1)
        if is_last_rank():
            loss, samples = self.totals.tolist()
            seconds = time.perf_counter() - self.started
            print(f"epoch {epoch}: loss {loss / samples:.4f}, {samples / seconds:.0f} samples/s", flush=True)
        self.totals.zero_()
        self.started = time.perf_counter()
