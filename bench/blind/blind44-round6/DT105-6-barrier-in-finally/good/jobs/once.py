import torch.distributed as dist


class Job:
    def prepare(self, rank):
        raise NotImplementedError

    def work(self, rank):
        raise NotImplementedError

    def run(self):
        rank = dist.get_rank()
        try:
            self.prepare(rank)
            mine = self.work(rank)
            rows = [None] * dist.get_world_size()
            dist.all_gather_object(rows, mine)
            return rows
        finally:
            self.close()

    def close(self):
        pass
