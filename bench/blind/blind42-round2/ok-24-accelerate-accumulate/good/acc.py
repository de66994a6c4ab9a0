import torch
from accelerate import Accelerator, DistributedDataParallelKwargs
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main(epochs=6):
    accelerator = Accelerator(
        gradient_accumulation_steps=4,
        project_config=ProjectConfiguration(project_dir="runs", automatic_checkpoint_naming=True, total_limit=3),
        kwargs_handlers=[DistributedDataParallelKwargs(gradient_as_bucket_view=True)],
        log_with="tensorboard",
    )
    accelerator.init_trackers("runs")
    set_seed(3)
    train = DataLoader(TensorDataset(*torch.load("train.pt", map_location="cpu")), 32, shuffle=True, drop_last=True)
    valid = DataLoader(TensorDataset(*torch.load("valid.pt", map_location="cpu")), 64)
    model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Dropout(0.1), nn.Linear(256, 10))
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    model, optimizer, train, valid = accelerator.prepare(model, optimizer, train, valid)
    step = 0
    for epoch in range(epochs):
        model.train()
        for x, y in train:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                    step += 1
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        hits = total = 0
        for x, y in valid:
            with torch.no_grad():
                guess = model(x).argmax(-1)
            guess, y = accelerator.gather_for_metrics((guess, y))
            hits += (guess == y).sum().item()
            total += len(y)
        accelerator.log({"accuracy": hits / total}, step=step)
        accelerator.save_state()
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "final")
    accelerator.end_training()


if __name__ == "__main__":
    main()
