import torch


@torch.no_grad()
def greedy(model, start, length):
    tokens = start
    for _ in range(length):
        logits = model(tokens)
        tokens = torch.cat([tokens, logits[:, -1:].argmax(dim=-1)], dim=1)
    return tokens


class SampleEvery:
    def __init__(self, steps, start, length=5):
        self.steps, self.start, self.length = steps, start, length

    def __call__(self, step, model, writer):
        if step % self.steps or writer is None:
            return
        tokens = greedy(model, self.start, self.length)
        writer.write(f"{step}: {tokens[0].tolist()}\n")
