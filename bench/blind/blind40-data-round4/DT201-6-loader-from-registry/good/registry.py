LOADERS = {}


def register(name):
    def add(function):
        LOADERS[name] = function
        return function

    return add


def build(name, **options):
    return LOADERS[name](**options)
