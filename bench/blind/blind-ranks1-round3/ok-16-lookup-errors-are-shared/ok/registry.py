class UnknownName(KeyError):
    pass


class Registry(dict):
    def register(self, fn):
        self[fn.__name__] = fn
        return fn

    def build(self, name, *args, **kwargs):
        if name not in self:
            raise UnknownName(f"{name}; known are {sorted(self)}")
        return self[name](*args, **kwargs)


def optional(build, *args):
    try:
        return build(*args)
    except UnknownName:
        return None
