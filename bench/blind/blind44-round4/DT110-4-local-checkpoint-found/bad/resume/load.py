import torch
import torch.distributed as dist

from resume.find import newest


def restore(net, name):
    path = newest(name)
    if path is None:
        return 0
    state = [torch.load(path, map_location="cpu", weights_only=True) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(state, src=0)
    net.load_state_dict(state[0]["net"])
    return state[0]["step"]
