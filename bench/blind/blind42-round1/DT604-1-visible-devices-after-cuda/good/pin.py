"""One model per GPU: evaluates an ensemble, one member per process."""
import argparse
import os

import torch
import torch.distributed as dist
import torchvision


def gpus_with_room(need_gib):
    """Indices of the GPUs of this node that have enough free memory."""
    room = []
    for index in range(torch.cuda.device_count()):
        free, _ = torch.cuda.mem_get_info(index)
        if free > need_gib * 2**30:
            room.append(index)
    return room


def pin(local_rank, need_gib):
    chosen = gpus_with_room(need_gib)[local_rank]
    torch.cuda.set_device(chosen)


@torch.no_grad()
def member_logits(path, images):
    net = torchvision.models.resnet50()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    net.cuda().eval()
    return torch.cat([net(chunk.cuda()).softmax(1) for chunk in images.split(64)])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("members", nargs="+")
    ap.add_argument("--images", default="images.pt")
    ap.add_argument("--need-gib", type=float, default=8.0)
    args = ap.parse_args()
    pin(int(os.environ["LOCAL_RANK"]), args.need_gib)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    assert len(args.members) == world, "one member per process"
    images = torch.load(args.images, map_location="cpu")
    probabilities = member_logits(args.members[rank], images)
    dist.all_reduce(probabilities, op=dist.ReduceOp.AVG)
    if rank == 0:
        torch.save(probabilities.argmax(1).cpu(), "ensemble_labels.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
