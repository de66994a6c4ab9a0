import json
import os


class WordTokens:
    def __init__(self, words):
        self.words = list(words)
        self.ids = {w: i for i, w in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def add(self, words):
        fresh = [w for w in words if w not in self.ids]
        for word in fresh:
            self.ids[word] = len(self.words)
            self.words.append(word)
        return len(fresh)

    def save(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "tokens.json"), "w") as stream:
            json.dump(self.words, stream)
