import torch
import torch.distributed as dist


def gathered_blocks(rows, size):
    """All ranks' rows, a block at a time; the next block is under way while one is worked on."""
    world = dist.get_world_size()

    def start(offset):
        part = rows[offset : offset + size].contiguous()
        out = part.new_empty(world * part.shape[0], part.shape[1])
        return out, dist.all_gather_into_tensor(out, part, async_op=True)

    ahead = start(0)
    for offset in range(size, len(rows) + 1, size):
        block, work = ahead
        if offset < len(rows):
            ahead = start(offset)
        yield block
        work.wait()
