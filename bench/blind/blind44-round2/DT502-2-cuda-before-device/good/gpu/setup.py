import os

import torch
import torch.distributed as dist


def setup(timeout_minutes=30):
    import datetime

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl", timeout=datetime.timedelta(minutes=timeout_minutes))
    torch.backends.cuda.matmul.allow_tf32 = True
    return dist.get_rank()
