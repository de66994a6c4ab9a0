import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def margins(policy, reference, chosen, rejected, beta=0.1):
    with torch.no_grad():
        ref = reference(chosen) - reference(rejected)
    return beta * ((policy(chosen) - policy(rejected)) - ref)


def main():
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(3)
    policy = nn.Sequential(nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))
    reference = nn.Sequential(nn.Linear(48, 48), nn.GELU(), nn.Linear(48, 1))
    reference.load_state_dict(policy.state_dict())
    reference.to(accelerator.device).eval()
    gen = torch.Generator().manual_seed(3)
    pairs = TensorDataset(torch.randn(2048, 48, generator=gen), torch.randn(2048, 48, generator=gen))
    loader = DataLoader(pairs, batch_size=32, shuffle=True, drop_last=True)
    opt = torch.optim.AdamW(policy.parameters(), lr=1e-4)
    policy, opt, loader = accelerator.prepare(policy, opt, loader)
    for step, (chosen, rejected) in enumerate(loader):
        margin = margins(policy, reference, chosen, rejected)
        loss = -F.logsigmoid(margin).mean()
        accelerator.backward(loss)
        opt.step()
        opt.zero_grad()
        if step % 20 == 0:
            accuracy = accelerator.reduce((margin > 0).float().mean(), reduction="mean")
            if accelerator.is_main_process:
                print(step, accuracy.item())
    accelerator.end_training()


if __name__ == "__main__":
    main()
