import contextlib


class Plugin:
    registry = {}

    def __init_subclass__(cls, /, name, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.registry[name] = cls

    def __init__(self, env):
        self.env = env

    @contextlib.contextmanager
    def around(self, epoch):
        yield


def opened(stack, plugins, epoch):
    for plugin in plugins:
        stack.enter_context(plugin.around(epoch))
