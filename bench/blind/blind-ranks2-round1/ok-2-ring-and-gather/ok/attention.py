import os

import torch
import torch.distributed as dist

from ring import Ring


def blockwise(ring, query, key, value):
    """Softmax attention over key blocks that travel round the ring."""
    scale = query.shape[-1] ** -0.5
    peak = torch.full(query.shape[:-1], float("-inf"), device=query.device)
    total = torch.zeros_like(peak)
    mixed = torch.zeros_like(query)
    for turn in range(ring.size):
        scores = query @ key.transpose(-1, -2) * scale
        new_peak = torch.maximum(peak, scores.amax(dim=-1))
        weights = (scores - new_peak.unsqueeze(-1)).exp()
        shrink = (peak - new_peak).exp()
        total = total * shrink + weights.sum(dim=-1)
        mixed = mixed * shrink.unsqueeze(-1) + weights @ value
        peak = new_peak
        if turn + 1 < ring.size:
            key, value = ring.rotate(key), ring.rotate(value)
    return mixed / total.unsqueeze(-1)


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    ring = Ring()
    torch.manual_seed(0)
    query, key, value = (torch.randn(ring.size, 8, 16, device=device) for _ in range(3))
    mine = blockwise(ring, query[ring.rank], key[ring.rank], value[ring.rank])
    parts = ring.collect(mine)
    if parts is not None:
        whole = torch.cat(parts)
        q, k, v = query.flatten(0, 1), key.flatten(0, 1), value.flatten(0, 1)
        expected = torch.softmax(q @ k.T * 16**-0.5, dim=-1) @ v
        torch.testing.assert_close(whole, expected)
        print("attention agrees")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
