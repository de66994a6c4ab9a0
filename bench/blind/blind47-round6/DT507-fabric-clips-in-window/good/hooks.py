from dataclasses import dataclass, field
from typing import Callable

Hook = Callable[..., None]


@dataclass
class Hooks:
    after_backward: list[Hook] = field(default_factory=list)
    before_step: list[Hook] = field(default_factory=list)

    def run(self, name, *args):
        for hook in getattr(self, name):
            hook(*args)
