import torch


class BestKeeper:
    def __init__(self, path):
        self.path, self.value = path, -1.0

    def offer(self, value, model):
        if value > self.value:
            self.value = value
            torch.save(model.state_dict(), self.path)
            print(f"new best accuracy {value:.3f}")
