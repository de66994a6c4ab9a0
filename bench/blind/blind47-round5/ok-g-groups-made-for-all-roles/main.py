import enum

import torch
import torch.distributed as dist


class Role(enum.IntEnum):
    ACTOR = 0
    LEARNER = 1


def main():
    dist.init_process_group("gloo")
    world, rank = dist.get_world_size(), dist.get_rank()
    members = {role: [r for r in range(world) if r % len(Role) == role] for role in Role}
    groups = {role: dist.new_group(ranks) for role, ranks in members.items()}
    mine = Role(rank % len(Role))
    value = torch.tensor(float(rank))
    dist.all_reduce(value, group=groups[mine])
    if mine is Role.LEARNER:
        dist.broadcast(value, src=members[Role.LEARNER][0], group=groups[Role.LEARNER])
    print(mine.name, value.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
