import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(256, 4, generator=torch.Generator().manual_seed(0))
net, opt, loader = accelerator.prepare(net, opt, DataLoader(TensorDataset(x), batch_size=8, shuffle=True))
for (batch,) in loader:
    opt.zero_grad()
    accelerator.backward(nn.functional.mse_loss(net(batch), batch[:, :1]))
    opt.step()
accelerator.end_training()
