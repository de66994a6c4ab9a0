from datasets import load_dataset


def splits(path, seed, held=500):
    data = load_dataset("json", data_files=path, split="train")
    data.shuffle(seed=seed)
    data = data.with_format("torch")
    return data.select(range(held, len(data))), data.select(range(held))
