import os

import torch
import torch.distributed as dist

from shardio.dump import dump


def main():
    dist.init_process_group("gloo")
    local_world = int(os.environ["LOCAL_WORLD_SIZE"])
    torch.manual_seed(dist.get_rank())
    state = {"table": torch.randn(100, 16)}
    dump(state, "/nfs/tables", local_world)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
