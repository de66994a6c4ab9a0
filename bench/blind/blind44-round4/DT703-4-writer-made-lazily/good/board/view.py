import functools

from torch.utils.tensorboard import SummaryWriter


class View:
    def __init__(self, folder, lead):
        self.folder, self.lead = folder, lead

    @functools.cached_property
    def writer(self):
        return SummaryWriter(self.folder)

    def scalar(self, name, value, step):
        if self.lead:
            self.writer.add_scalar(name, value, step)
