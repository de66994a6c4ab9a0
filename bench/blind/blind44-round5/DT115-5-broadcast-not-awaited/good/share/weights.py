import torch.distributed as dist


class Sharing:
    def __init__(self, net, root=0):
        self.net, self.root = net, root
        self.handles = {}

    def start(self):
        for name, p in self.net.named_parameters():
            self.handles[name] = dist.broadcast(p.data, self.root, async_op=True)

    def finish(self):
        for handle in self.handles.values():
            handle.wait()
        self.handles.clear()
