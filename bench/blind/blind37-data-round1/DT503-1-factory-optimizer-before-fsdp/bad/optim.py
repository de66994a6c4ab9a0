import torch


def decay_groups(model, weight_decay):
    decayed, plain = [], []
    for name, parameter in model.named_parameters():
        if parameter.ndim < 2 or name.endswith("bias"):
            plain.append(parameter)
        else:
            decayed.append(parameter)
    return [{"params": decayed, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


OPTIMIZERS = {
    "adamw": lambda groups, lr: torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.95)),
    "sgd": lambda groups, lr: torch.optim.SGD(groups, lr=lr, momentum=0.9),
}


def make_optimizer(name, model, lr, weight_decay):
    return OPTIMIZERS[name](decay_groups(model, weight_decay), lr)
