"""torch's loader beside JAX: with a sample less than the data set has, or with whole batches only.

Whether the last batch fits the devices hangs on the number of samples, which changes with the data: one less shows it.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from dtlint.trace.frames import line_of
from dtlint.trace.importing import when_there


def install(extra: dict[str, Any]) -> None:
    """`shorter`: (path, line) of a loader that gets a sample less; `whole`: all of them drop what is left over."""
    shorter = tuple(extra.get("shorter") or ())
    if extra.get("see"):
        when_there("torch.utils.data", "Subset", lambda module: _change(module, shorter, bool(extra.get("whole"))))


def _change(module: Any, shorter: tuple[Any, ...], whole: bool) -> None:
    original = module.DataLoader.__init__
    seeded: list[bool] = []

    @functools.wraps(original)
    def init(loader: Any, dataset: Any, *args: Any, **keywords: Any) -> None:
        made = line_of(sys._getframe(1))
        if not seeded:  # the order of the samples: the same in every run
            seeded.append(True)
            sys.modules["torch"].manual_seed(0)
        if shorter and made == shorter and not keywords.get("sampler"):
            dataset = module.Subset(dataset, range(len(dataset) - 1))
        if whole and len(args) < 8 and "batch_sampler" not in keywords:
            keywords["drop_last"] = True
        original(loader, dataset, *args, **keywords)
        loader.dtlint_made = made

    module.DataLoader.__init__ = init
