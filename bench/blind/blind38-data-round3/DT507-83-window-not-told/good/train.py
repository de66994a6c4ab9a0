"""Accelerate fine-tuning of a vision model with a window of several batches."""
from dataclasses import dataclass

import evaluate
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from torchvision import transforms
from transformers import AutoModelForImageClassification


@dataclass
class Options:
    base: str = "google/vit-base-patch16-224-in21k"
    batch: int = 16
    window: int = 4
    epochs: int = 3
    lr: float = 5e-5
    out: str = "beans-vit"


def beans(accelerator):
    with accelerator.main_process_first():
        data = load_dataset("beans")
    look = transforms.Compose([transforms.Resize((224, 224)), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.5] * 3)])

    def shown(batch):
        return {"pixel_values": [look(image.convert("RGB")) for image in batch["image"]], "labels": batch["labels"]}

    return data["train"].with_transform(shown), data["validation"].with_transform(shown)


def main():
    options = Options()
    accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=options.window)
    set_seed(0)
    train, val = beans(accelerator)
    model = AutoModelForImageClassification.from_pretrained(options.base, num_labels=3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.lr)
    model, optimizer, train_loader, val_loader = accelerator.prepare(
        model,
        optimizer,
        DataLoader(train, options.batch, shuffle=True, drop_last=True, num_workers=4),
        DataLoader(val, options.batch, num_workers=4),
    )
    metric = evaluate.load("accuracy")
    for epoch in range(options.epochs):
        model.train()
        for batch in train_loader:
            with accelerator.accumulate(model):
                loss = model(**batch).loss
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        model.eval()
        for batch in val_loader:
            with torch.no_grad():
                guess = model(pixel_values=batch["pixel_values"]).logits.argmax(dim=-1)
            guess, truth = accelerator.gather_for_metrics((guess, batch["labels"]))
            metric.add_batch(predictions=guess, references=truth)
        accelerator.print(epoch, metric.compute())
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        accelerator.unwrap_model(model).save_pretrained(options.out)
    accelerator.end_training()


if __name__ == "__main__":
    main()
