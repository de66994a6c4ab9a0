import contextlib


def reshuffle(loader, epoch):
    with contextlib.suppress(AttributeError):
        loader.set_epoch(epoch)
