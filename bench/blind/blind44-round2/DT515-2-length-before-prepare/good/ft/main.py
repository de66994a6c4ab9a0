import torch
from accelerate import Accelerator
from torch import nn

from ft.data import loader
from ft.schedule import Plan


def main():
    plan = Plan(epochs=3, accumulate=2)
    accelerator = Accelerator(gradient_accumulation_steps=plan.accumulate)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 24), nn.GELU(), nn.Linear(24, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    train = loader(16)
    model, optimizer, train = accelerator.prepare(model, optimizer, train)
    scheduler = plan.scheduler(optimizer, len(train))
    for epoch in range(plan.epochs):
        for x, y in train:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                if accelerator.sync_gradients and not accelerator.optimizer_step_was_skipped:
                    scheduler.step()
                optimizer.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
