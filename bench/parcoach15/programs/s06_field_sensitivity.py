import torch.distributed as dist


class Job:
    def __init__(self, rank, steps):
        self.rank = rank
        self.steps = steps


def main():
    dist.init_process_group("gloo")
    job = Job(dist.get_rank(), 3)
    for _ in range(job.steps):
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
