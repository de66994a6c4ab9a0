import logging

import torch
import torch.distributed as dist
import torch.nn.functional as F

log = logging.getLogger(__name__)


class Stepper:
    """Plain data parallelism with hand-written averaging of the gradients."""

    def __init__(self, net, opt, device, attempts=3):
        self.net, self.opt, self.device, self.attempts = net, opt, device, attempts

    def _once(self, x, y):
        self.opt.zero_grad(set_to_none=True)
        loss = F.mse_loss(self.net(x.to(self.device)), y.to(self.device))
        loss.backward()
        for p in self.net.parameters():
            dist.all_reduce(p.grad)
            p.grad /= dist.get_world_size()
        self.opt.step()
        return loss.item()

    def __call__(self, x, y):
        for attempt in range(self.attempts):
            try:
                return self._once(x, y)
            except RuntimeError as err:
                log.warning("attempt %d failed: %s", attempt, err)
        return None
