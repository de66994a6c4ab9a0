import torch
import torch.distributed as dist

from tree.reduce import reduced


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    report = {"loss": float(rank), "parts": [torch.ones(2) * rank, torch.zeros(3)], "by": {"b": 1.0, "a": 2.0}}
    merged = reduced(report)
    if rank == 0:
        print(merged)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
