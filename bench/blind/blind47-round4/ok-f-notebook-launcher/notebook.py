# %%
import torch
from accelerate import Accelerator, notebook_launcher
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

# %%
HYPER = {"lr": 1e-2, "epochs": 2, "batch": 16}


# %%
def training_function(hyper, seed=0):
    torch.manual_seed(seed)
    accelerator = Accelerator()
    x = torch.randn(640, 4)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), hyper["batch"], shuffle=True)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), hyper["lr"])
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(hyper["epochs"]):
        total = torch.zeros((), device=accelerator.device)
        for a, b in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            accelerator.backward(loss)
            optimizer.step()
            total += loss.detach()
        mean = accelerator.reduce(total, reduction="mean") / len(loader)
        accelerator.print(epoch, mean.item())
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.save(accelerator.unwrap_model(model).state_dict(), "model.pt")


# %%
notebook_launcher(training_function, args=(HYPER,), num_processes=2)
