import torch


def param_groups(model, decay):
    decayed, rest = [], []
    for name, p in model.named_parameters():
        (rest if name.endswith("bias") or "norm" in name else decayed).append(p)
    return [{"params": decayed, "weight_decay": decay}, {"params": rest, "weight_decay": 0.0}]


def build(model, lr, decay=0.1):
    return torch.optim.AdamW(param_groups(model, decay), lr=lr, betas=(0.9, 0.95))
