import torch
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()

    peer = 1 - rank
    received = torch.zeros(3)
    dist.recv(received, src=peer)
    dist.send(torch.ones(3), dst=peer)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
