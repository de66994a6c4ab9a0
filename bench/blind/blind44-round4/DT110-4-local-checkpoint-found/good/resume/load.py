import torch
import torch.distributed as dist

from resume.find import newest


def restore(net, name):
    path = newest(name)
    state = [None]
    if dist.get_rank() == 0 and path is not None:
        state[0] = torch.load(path, map_location="cpu", weights_only=True)
    dist.broadcast_object_list(state, src=0)
    if state[0] is None:
        return 0
    net.load_state_dict(state[0]["net"])
    return state[0]["step"]
