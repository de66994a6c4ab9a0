import os

import torch


class Saver:
    def __init__(self, env, folder):
        self.main = bool(env.rank)
        self.folder = folder

    def __call__(self, model, name):
        if self.main:
            os.makedirs(self.folder, exist_ok=True)
            torch.save(model.state_dict(), os.path.join(self.folder, name))
