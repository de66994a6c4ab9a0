from operator import attrgetter

import torch
import torch.distributed as dist


class Hook:
    priority = 50

    def before(self, loop):
        ...

    def after(self, loop):
        ...


class Reshuffle(Hook):
    priority = 1

    def before(self, loop):
        loop.loader.sampler.set_epoch(loop.epoch)


class Ema(Hook):
    priority = 20

    def __init__(self, decay):
        self.decay, self.shadow = decay, None

    @torch.no_grad()
    def after(self, loop):
        now = loop.net.state_dict()
        if self.shadow is None:
            self.shadow = {k: v.clone() for k, v in now.items()}
        for k, v in now.items():
            self.shadow[k].lerp_(v, 1 - self.decay)


class Report(Hook):
    priority = 80

    def after(self, loop):
        mean = loop.loss.clone()
        dist.all_reduce(mean)
        if dist.get_rank() == 0:
            print(loop.epoch, mean.item() / dist.get_world_size())


class Save(Hook):
    priority = 90

    def __init__(self, path):
        self.path = path

    def after(self, loop):
        if dist.get_rank() != 0:
            return
        torch.save(loop.net.state_dict(), self.path)


def in_order(hooks):
    return sorted(hooks, key=attrgetter("priority"))
