import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    get_linear_schedule_with_warmup,
)

NAME = "google/electra-small-discriminator"


def prepare_split(tokenizer, rows, seed):
    ds = load_dataset("imdb", split="train")
    ds = ds.shuffle(seed=seed)
    ds = ds.select(range(rows))
    ds = ds.map(lambda b: tokenizer(b["text"], truncation=True, max_length=256), batched=True, remove_columns=["text"])
    return ds.rename_column("label", "labels").with_format("torch")


def main(epochs=2, rows=4096, batch_size=16, seed=19):
    accelerator = Accelerator(mixed_precision="bf16")
    set_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    with accelerator.main_process_first():
        train = prepare_split(tokenizer, rows, seed)
    loader = DataLoader(
        train, batch_size=batch_size, shuffle=True, drop_last=True, collate_fn=DataCollatorWithPadding(tokenizer)
    )
    model = AutoModelForSequenceClassification.from_pretrained(NAME, num_labels=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    total = epochs * len(loader)
    schedule = get_linear_schedule_with_warmup(optimizer, total // 10, total)
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            loss = model(**batch).loss
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        accelerator.print(f"epoch {epoch} lr {schedule.get_last_lr()[0]:.2e}")
    accelerator.wait_for_everyone()
    accelerator.unwrap_model(model).save_pretrained(
        "electra-imdb", is_main_process=accelerator.is_main_process, save_function=accelerator.save
    )
    accelerator.end_training()


if __name__ == "__main__":
    main()
