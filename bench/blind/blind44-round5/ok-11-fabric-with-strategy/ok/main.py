import lightning as L

from fab.train import Run


def main(epochs=3):
    fabric = L.Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(0)
    run = Run(fabric, window=4)
    for epoch in range(epochs):
        mean = run.epoch()
        fabric.print(f"epoch {epoch}: {mean.item():.4f}")
    fabric.save("run.ckpt", {"model": run.model, "opt": run.opt})


if __name__ == "__main__":
    main()
