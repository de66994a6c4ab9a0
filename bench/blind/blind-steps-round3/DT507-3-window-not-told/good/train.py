import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from config import Plan


def make_accelerator(plan: Plan) -> Accelerator:
    project = ProjectConfiguration(project_dir="out", total_limit=2)
    return Accelerator(
        mixed_precision=plan.precision, project_config=project, gradient_accumulation_steps=plan.accumulate
    )


def main(plan: Plan = Plan()):
    accelerator = make_accelerator(plan)
    set_seed(3)
    model = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 2))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1024, 32, generator=g), torch.randint(0, 2, (1024,), generator=g))
    loader = DataLoader(data, batch_size=plan.micro_batch, shuffle=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.lr)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    accelerator.print(f"{plan.accumulate} micro-batches of {plan.micro_batch} on {accelerator.num_processes} processes")
    for epoch in range(plan.epochs):
        for x, y in loader:
            with accelerator.accumulate(model):
                accelerator.backward(nn.functional.cross_entropy(model(x), y))
                optimizer.step()
                optimizer.zero_grad()
        accelerator.save_state()
    accelerator.end_training()


if __name__ == "__main__":
    main()
