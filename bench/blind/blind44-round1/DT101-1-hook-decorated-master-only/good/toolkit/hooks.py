import json
import pathlib

from .dist import master_only

HOOKS = {}


def register(cls):
    HOOKS[cls.__name__] = cls
    return cls


class Hook:
    priority = 50

    def before_epoch(self, runner):
        pass

    def after_epoch(self, runner):
        pass


@register
class SamplerSeedHook(Hook):
    priority = 10

    def before_epoch(self, runner):
        runner.train_loader.sampler.set_epoch(runner.epoch)


@register
class EvalHook(Hook):
    def __init__(self, interval=1, out="metrics.jsonl"):
        self.interval = interval
        self.out = pathlib.Path(out)

    def after_epoch(self, runner):
        if (runner.epoch + 1) % self.interval:
            return
        self.write(runner.epoch, runner.evaluate())

    @master_only
    def write(self, epoch, scores):
        with self.out.open("a") as f:
            f.write(json.dumps({"epoch": epoch, **scores}) + "\n")


def build_hooks(cfgs):
    hooks = [HOOKS[c.pop("type")](**c) for c in cfgs]
    return sorted(hooks, key=lambda h: h.priority)
