import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator, DeepSpeedPlugin
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def main():
    accelerator = Accelerator(deepspeed_plugin=DeepSpeedPlugin(zero_stage=3, gradient_accumulation_steps=1))
    set_seed(0)
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1280, 32, generator=gen), torch.randint(0, 8, (1280,), generator=gen))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(32, 256), nn.GELU(), nn.Linear(256, 8))
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for x, y in loader:
        accelerator.backward(F.cross_entropy(model(x), y))
        opt.step()
        opt.zero_grad()
    accelerator.wait_for_everyone()
    state = accelerator.get_state_dict(model)
    if accelerator.is_main_process:
        torch.save(state, "model.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
