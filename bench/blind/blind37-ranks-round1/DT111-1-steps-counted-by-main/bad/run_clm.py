import argparse
import math

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm


class Tagger(nn.Module):
    def __init__(self, vocab=40, width=20):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.mix = nn.LSTM(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        return self.out(self.mix(self.emb(ids))[0])


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--max_train_steps", type=int, default=60)
    p.add_argument("--eval_steps", type=int, default=20)
    p.add_argument("--gradient_accumulation_steps", type=int, default=2)
    p.add_argument("--output_dir", default="clm-out")
    return p.parse_args()


def tokens(n, seed):
    return TensorDataset(torch.randint(0, 40, (n, 18), generator=torch.Generator().manual_seed(seed)))


@torch.no_grad()
def evaluate(accelerator, model, loader, step):
    model.eval()
    losses = []
    for (batch,) in loader:
        logits = model(batch[:, :-1])
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), batch[:, 1:], reduction="none").mean(1)
        losses.append(accelerator.gather_for_metrics(loss))
    accelerator.print(f"step {step}: eval loss {torch.cat(losses).mean().item():.4f}")
    model.train()


def main():
    args = parse_args()
    accelerator = Accelerator(gradient_accumulation_steps=args.gradient_accumulation_steps)
    set_seed(42)
    loader = DataLoader(tokens(800, seed=8), batch_size=10, shuffle=True, drop_last=True)
    eval_loader = DataLoader(tokens(90, seed=9), batch_size=10)
    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, optimizer, loader, eval_loader = accelerator.prepare(model, optimizer, loader, eval_loader)

    per_epoch = math.ceil(len(loader) / args.gradient_accumulation_steps)
    epochs = math.ceil(args.max_train_steps / per_epoch)
    bar = tqdm(range(args.max_train_steps), disable=not accelerator.is_main_process)
    completed_steps = 0
    for epoch in range(epochs):
        model.train()
        for (batch,) in loader:
            with accelerator.accumulate(model):
                logits = model(batch[:, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                if accelerator.is_main_process:
                    bar.update(1)
                    completed_steps += 1
                if completed_steps and completed_steps % args.eval_steps == 0:
                    evaluate(accelerator, model, eval_loader, completed_steps)
    accelerator.wait_for_everyone()
    final = accelerator.get_state_dict(model)
    if accelerator.is_main_process:
        accelerator.save(final, f"{args.output_dir}/final.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
