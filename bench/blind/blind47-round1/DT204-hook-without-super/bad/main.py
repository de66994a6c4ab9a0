import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import TensorDataset

from curriculum import Curriculum

if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(400, 5)
    Curriculum(nn.Linear(5, 1), TensorDataset(x, x[:, 0].sign()), batch_size=20, epochs=10).fit()
    dist.destroy_process_group()
