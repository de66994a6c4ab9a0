import torch
import torch.distributed as dist

from attention import RingAttention
from topology import Ring


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    layer = RingAttention(Ring.join(), 16)
    x = torch.randn(8, 16, generator=torch.Generator().manual_seed(dist.get_rank()))
    print(layer(x).norm().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
