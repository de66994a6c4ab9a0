import contextlib


class BadSample(ValueError):
    pass


def lenient(enabled, *kinds):
    return contextlib.suppress(*kinds) if enabled else contextlib.nullcontext()
