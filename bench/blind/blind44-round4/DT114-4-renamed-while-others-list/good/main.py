import torch
import torch.distributed as dist

from parts.collect import Parts


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    parts = Parts("/nfs/job7")
    parts.write(rank, torch.randn(10, 4, generator=torch.Generator().manual_seed(rank)))
    dist.barrier()
    if rank == 0:
        parts.publish()
    dist.barrier()
    whole = torch.cat(parts.all())
    share = whole.chunk(dist.get_world_size())[rank].sum(0)
    dist.all_reduce(share)
    if rank == 0:
        print(share.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
