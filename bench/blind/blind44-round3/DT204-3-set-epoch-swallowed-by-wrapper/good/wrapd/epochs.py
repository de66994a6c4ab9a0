import contextlib


def reshuffle(loader, epoch):
    loader.sampler.set_epoch(epoch)
