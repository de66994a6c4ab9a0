import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoImageProcessor, AutoModelForImageClassification, get_scheduler

OUT = "/shared/exports/beans-vit"


class Beans:
    def __init__(self, accelerator, name="google/vit-base-patch16-224-in21k", batch_size=32):
        self.accelerator = accelerator
        self.processor = AutoImageProcessor.from_pretrained(name)
        with accelerator.main_process_first():
            self.rows = load_dataset("beans")
        classes = self.rows["train"].features["labels"].num_classes
        self.model = AutoModelForImageClassification.from_pretrained(name, num_labels=classes)
        self.batch_size = batch_size

    def collate(self, rows):
        batch = self.processor([row["image"] for row in rows], return_tensors="pt")
        batch["labels"] = torch.tensor([row["labels"] for row in rows])
        return batch

    def loader(self, split):
        train = split == "train"
        return DataLoader(self.rows[split], batch_size=self.batch_size, shuffle=train, drop_last=train, collate_fn=self.collate)

    def export(self, model, epoch):
        plain = self.accelerator.unwrap_model(model)
        if self.accelerator.is_local_main_process:
            plain.save_pretrained(OUT)
            self.processor.save_pretrained(OUT)
        self.accelerator.wait_for_everyone()


@torch.no_grad()
def accuracy(accelerator, model, loader):
    model.eval()
    right = seen = 0
    for batch in loader:
        guess, labels = accelerator.gather_for_metrics((model(**batch).logits.argmax(-1), batch["labels"]))
        right, seen = right + (guess == labels).sum().item(), seen + len(labels)
    model.train()
    return right / seen


def main(epochs=4):
    accelerator = Accelerator(mixed_precision="fp16")
    set_seed(1)
    beans = Beans(accelerator)
    optimizer = torch.optim.AdamW(beans.model.parameters(), lr=5e-5)
    model, optimizer, train, val = accelerator.prepare(beans.model, optimizer, beans.loader("train"), beans.loader("validation"))
    schedule = get_scheduler("linear", optimizer, num_warmup_steps=0, num_training_steps=epochs * len(train))
    best = 0.0
    for epoch in range(epochs):
        for batch in train:
            accelerator.backward(model(**batch).loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        score = accuracy(accelerator, model, val)
        accelerator.print(epoch, score)
        if score > best:
            best = score
            beans.export(model, epoch)
    accelerator.end_training()


if __name__ == "__main__":
    main()
