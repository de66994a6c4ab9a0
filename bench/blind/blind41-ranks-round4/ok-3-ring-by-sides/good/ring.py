import torch
import torch.distributed as dist


def around(token):
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        dist.send(token, dst=1 % world)
        dist.recv(token, src=world - 1)
    else:
        dist.recv(token, src=rank - 1)
        token += rank
        dist.send(token, dst=(rank + 1) % world)
    return token


def main():
    dist.init_process_group("gloo")
    token = around(torch.zeros(1))
    if dist.get_rank() == 0:
        print(token.item())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
