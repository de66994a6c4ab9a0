import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def main(out="tuned"):
    accelerator = Accelerator()
    set_seed(5)
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
    with accelerator.main_process_first():
        rows = load_dataset("imdb", split="train[:4000]")
        rows = rows.map(lambda r: tokenizer(r["text"], truncation=True, max_length=256, padding="max_length"), batched=True)
    rows = rows.with_format("torch", columns=["input_ids", "attention_mask", "label"])
    loader = DataLoader(rows, batch_size=16, shuffle=True, drop_last=True)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-5)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for batch in loader:
        out_ = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["label"])
        accelerator.backward(out_.loss)
        opt.step()
        opt.zero_grad()
    accelerator.wait_for_everyone()
    plain = accelerator.unwrap_model(model)
    plain.save_pretrained(out)
    tokenizer.save_pretrained(out)
    accelerator.end_training()


if __name__ == "__main__":
    main()
