from datasets import load_dataset
from transformers import AutoTokenizer


class Text:
    def __init__(self, name, tokenizer, width):
        self.tokenizer = AutoTokenizer.from_pretrained(tokenizer)
        self.name, self.width = name, width

    def encode(self, rows):
        ids = self.tokenizer(rows["text"], truncation=True, max_length=self.width, padding="max_length")
        return {"ids": ids["input_ids"]}

    def stream(self, seed):
        data = load_dataset(self.name, split="train", streaming=True)
        data = data.shuffle(seed=seed, buffer_size=10_000)
        return data.map(self.encode, batched=True, remove_columns=["text"]).with_format("torch")
