import functools
import logging

log = logging.getLogger("tolerant")


def tolerant(*kinds):
    def around(fn):
        @functools.wraps(fn)
        def inner(*args, **kwargs):
            try:
                return fn(*args, **kwargs)
            except kinds as error:
                log.warning("%s: %s", fn.__name__, error)
                return None

        return inner

    return around
