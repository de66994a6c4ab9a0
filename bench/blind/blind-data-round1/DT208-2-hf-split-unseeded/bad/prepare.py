from datasets import Dataset, load_dataset


def load_splits(path, seed, holdout=0.1):
    rows: Dataset = load_dataset("csv", data_files=path, split="train")
    parts = rows.train_test_split(test_size=holdout)
    return parts["train"].with_format("torch"), parts["test"].with_format("torch")
