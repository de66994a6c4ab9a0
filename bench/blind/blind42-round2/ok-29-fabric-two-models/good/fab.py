import lightning as L
import torch
import torch.nn as nn
from lightning.fabric.strategies import DDPStrategy
from torch.utils.data import DataLoader, TensorDataset


def nets():
    teacher = nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 10))
    student = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 10))
    return teacher, student


def main(epochs=5, every=4):
    fabric = L.Fabric(accelerator="cuda", devices=4, strategy=DDPStrategy(), precision="bf16-mixed")
    fabric.launch()
    fabric.seed_everything(2)
    teacher, student = nets()
    teacher.load_state_dict(torch.load("teacher.pt", map_location="cpu"))
    teacher = teacher.to(fabric.device).eval().requires_grad_(False)
    optimizer = torch.optim.AdamW(student.parameters(), 1e-3)
    student, optimizer = fabric.setup(student, optimizer)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    loader = fabric.setup_dataloaders(DataLoader(data, 64, shuffle=True, drop_last=True))
    whole = len(loader) // every * every
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        for i, (x, y) in enumerate(loader):
            if i == whole:
                break
            last = (i + 1) % every == 0
            with fabric.no_backward_sync(student, enabled=not last):
                logits = student(x)
                with torch.no_grad():
                    target = teacher(x).float().softmax(-1)
                loss = nn.functional.cross_entropy(logits, y) + nn.functional.cross_entropy(logits, target)
                fabric.backward(loss / every)
            if last:
                fabric.clip_gradients(student, optimizer, max_norm=1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        mean = fabric.all_reduce(loss.detach(), reduce_op="mean")
        fabric.print(f"epoch {epoch} loss {mean.item():.4f}")
        fabric.save(f"student_{epoch}.ckpt", {"student": student, "optimizer": optimizer})


if __name__ == "__main__":
    main()
