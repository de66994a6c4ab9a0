import enum
import time
from pathlib import Path

import torch
import torch.distributed as dist


class Wish(enum.IntFlag):
    NOTHING = 0
    SAVE = 1
    STOP = 2


class Ballot:
    def __init__(self, device, seconds):
        self.device = device
        self.until = time.monotonic() + seconds
        self.bad_in_a_row = 0

    def own(self, loss):
        wish = Wish.NOTHING
        self.bad_in_a_row = self.bad_in_a_row + 1 if not torch.isfinite(loss) else 0
        if Path("/tmp/drain").exists() or time.monotonic() > self.until:
            wish |= Wish.SAVE | Wish.STOP
        if self.bad_in_a_row >= 5:
            wish |= Wish.STOP
        return wish

    def cast(self, loss):
        wish = self.own(loss)
        votes = [None] * dist.get_world_size()
        dist.all_gather_object(votes, int(wish))
        joined = Wish.NOTHING
        for vote in votes:
            joined |= Wish(vote)
        return joined
