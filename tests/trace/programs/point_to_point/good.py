import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    peer = 1 - rank
    received = torch.zeros(3)
    works = [dist.isend(torch.full((3,), float(rank)), dst=peer), dist.irecv(received, src=peer)]
    for work in works:
        work.wait()
    assert received[0] == peer
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
