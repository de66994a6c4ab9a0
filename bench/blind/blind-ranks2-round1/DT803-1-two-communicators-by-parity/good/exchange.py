import torch
import torch.distributed as dist


class Exchange:
    """Gradients and running statistics have a communicator each, so that a big message does not delay a small one."""

    def __init__(self):
        everyone = list(range(dist.get_world_size()))
        self.grad_group = dist.new_group(everyone)
        self.stat_group = dist.new_group(everyone)
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()

    def gradients(self, model):
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad, group=self.grad_group)
            parameter.grad /= self.world

    def statistics(self, model):
        for buffer in model.buffers():
            if buffer.is_floating_point():
                dist.all_reduce(buffer, group=self.stat_group)
                buffer /= self.world

    def run(self, model):
        for phase in (self.gradients, self.statistics):
            phase(model)
