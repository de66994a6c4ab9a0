from torch.optim.lr_scheduler import OneCycleLR


def one_cycle(optimizer, loader, epochs, peak):
    return OneCycleLR(optimizer, max_lr=peak, total_steps=epochs * len(loader))
