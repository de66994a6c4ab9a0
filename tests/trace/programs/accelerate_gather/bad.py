import torch
import torch.nn as nn
from accelerate import Accelerator
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator()
    data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    model, loader = nn.Linear(8, 2), DataLoader(data, batch_size=8, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for inputs, labels in loader:
        loss = nn.functional.cross_entropy(model(inputs), labels)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    if accelerator.is_main_process:
        losses = accelerator.gather(loss.detach())
        print(losses.mean().item())
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
