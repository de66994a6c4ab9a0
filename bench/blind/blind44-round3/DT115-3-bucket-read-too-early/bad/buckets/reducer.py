import torch.distributed as dist

from buckets.bucket import Bucket


class Reducer:
    def __init__(self, model, size=2):
        params = [p for p in model.parameters() if p.requires_grad][::-1]
        self.buckets = [Bucket(params[i : i + size]) for i in range(0, len(params), size)]

    def reduce(self):
        for bucket in self.buckets:
            bucket.launch()
        scale = 1 / dist.get_world_size()
        for bucket in self.buckets:
            bucket.unpack(scale)
        for bucket in self.buckets:
            bucket.wait()
