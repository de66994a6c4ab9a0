import torch.distributed as dist


class GradientReducer:
    """All-reduces gradients as they become ready."""

    def __init__(self, model, world):
        self.world = world
        self.pending = []
        for p in model.parameters():
            p.register_post_accumulate_grad_hook(self._launch)

    def _launch(self, p):
        p.grad.div_(self.world)
        self.pending.append(dist.all_reduce(p.grad, async_op=True))

    def finish(self):
        for work in self.pending:
            work.wait()
        self.pending.clear()
