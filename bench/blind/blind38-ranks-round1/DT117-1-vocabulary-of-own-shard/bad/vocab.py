class Vocabulary:
    def __init__(self, counts, min_count=1):
        kept = sorted(word for word, n in counts.items() if n >= min_count)
        self.words = ["<unk>", *kept]
        self.index = {word: i for i, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, text):
        return [self.index.get(word, 0) for word in text.split()] or [0]

    def write(self, path):
        path.write_text("\n".join(self.words))
