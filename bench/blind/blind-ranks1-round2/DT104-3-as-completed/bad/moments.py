from concurrent.futures import ThreadPoolExecutor, as_completed

import torch
import torch.distributed as dist


def column_moments(table):
    return torch.cat([table.sum(0), table.square().sum(0), torch.tensor([float(len(table))])])


class Moments:
    """Mean and deviation of every column block over the whole job."""

    def __init__(self, workers=4):
        self.workers = workers

    def measure(self, blocks):
        result = {}
        with ThreadPoolExecutor(self.workers) as pool:
            futures = {pool.submit(column_moments, table): name for name, table in blocks.items()}
            for future in as_completed(futures):
                packed = future.result()
                dist.all_reduce(packed)
                result[futures[future]] = self.finish(packed)
        return result

    @staticmethod
    def finish(packed):
        width = (len(packed) - 1) // 2
        mean = packed[:width] / packed[-1]
        variance = packed[width:-1] / packed[-1] - mean.square()
        return mean, variance.clamp(min=1e-12).sqrt()
