import os

import torch
import torch.distributed as dist


def masked_mean(x, keep):
    kept = torch.where(keep[:, None], x, torch.zeros_like(x))
    packed = torch.cat([kept.sum(0), keep.sum().to(x.dtype)[None]])
    dist.all_reduce(packed)
    return packed[:-1] / packed[-1].clamp(min=1)


def local_extremes(x, keep):
    chosen = x[keep]
    if chosen.numel() == 0:
        return x.new_full((2, x.shape[1]), float("nan"))
    return torch.stack([chosen.amin(0), chosen.amax(0)])


def main(limit=0.2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    g = torch.Generator().manual_seed(60 + dist.get_rank())
    x = torch.randn(500, 6, generator=g).to(device)
    keep = x.abs().mean(1) > limit
    mean = masked_mean(x, keep)
    extremes = local_extremes(x, keep).nan_to_num()
    everywhere = [torch.empty_like(extremes) for _ in range(dist.get_world_size())]
    dist.all_gather(everywhere, extremes)
    if dist.get_rank() == 0:
        print(mean, torch.stack(everywhere)[:, 0].amin(0))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
