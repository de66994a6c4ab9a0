import torch
import torch.nn.functional as F

from clip.gather import Gathered


class ClipLoss:
    def __init__(self):
        self.everything = Gathered()

    def __call__(self, image, text, scale):
        image, text = F.normalize(image, dim=-1), F.normalize(text, dim=-1)
        all_image, all_text = self.everything(image), self.everything(text)
        logits = scale * all_image @ all_text.T
        labels = torch.arange(len(logits), device=logits.device)
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
