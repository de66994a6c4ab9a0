import os

import torch
import torch.distributed as dist


def control(step):
    message = torch.zeros(2)
    if dist.get_rank() == 0:
        message = torch.tensor([float(step), 1.0])
        for dst in range(1, dist.get_world_size()):
            dist.send(message, dst=dst)
    elif int(os.environ["LOCAL_RANK"]) == 0:
        dist.recv(message, src=0)
    return message


def main():
    dist.init_process_group("gloo")
    for step in range(3):
        message = control(step)
        print(dist.get_rank(), message.tolist())
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
