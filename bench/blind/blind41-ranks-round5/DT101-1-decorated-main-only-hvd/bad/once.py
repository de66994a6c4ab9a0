import functools

import horovod.torch as hvd


def only_once(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        if hvd.rank() == 0:
            return fn(*args, **kwargs)
        return None

    return inner
