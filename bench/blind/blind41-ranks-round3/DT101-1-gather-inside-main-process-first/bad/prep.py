import torch
from accelerate import Accelerator
from accelerate.utils import gather_object, set_seed
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoModelForSequenceClassification, AutoTokenizer


def tokenised(accelerator, tokenizer, path):
    lengths = []

    def encode(rows):
        out = tokenizer(rows["text"], truncation=True, max_length=128, padding="max_length")
        lengths.extend(len(text) for text in rows["text"])
        return out

    with accelerator.main_process_first():
        data = load_dataset("json", data_files=path, split="train").map(encode, batched=True)
        longest = max(gather_object([max(lengths, default=0)]))
    accelerator.print("longest text", longest)
    return data.with_format("torch", columns=["input_ids", "attention_mask", "label"])


def main():
    accelerator = Accelerator()
    set_seed(1)
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    model = AutoModelForSequenceClassification.from_pretrained("distilbert-base-uncased", num_labels=2)
    loader = DataLoader(tokenised(accelerator, tokenizer, "train.jsonl"), batch_size=16, shuffle=True, drop_last=True)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-5)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for batch in loader:
        out = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["label"])
        accelerator.backward(out.loss)
        opt.step()
        opt.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
