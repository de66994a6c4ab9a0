from torch.optim.lr_scheduler import OneCycleLR


def one_cycle(optimizer, dataset, batch, epochs, peak):
    return OneCycleLR(optimizer, max_lr=peak, total_steps=epochs * (len(dataset) // batch))
