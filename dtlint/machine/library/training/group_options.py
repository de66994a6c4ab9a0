"""Which options of an optimizer does a program set, and does it set them where the optimizer reads them?

`optimizer.param_groups[0]["lr"] = rate` is read by the next step; `optimizer.lr = rate` makes an attribute that nothing
in the optimizer knows.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training.parameters import GROUPS
from dtlint.machine.values import Const, Object, Symbol, Unknown, Value

OPTIMIZER = "torch.optim.Optimizer"
BESIDE, READ, IN_GROUP = "option-beside", "option-read", "option-in-group"  # records
DEEP = 4  # a group out of a list, by its number or in a loop


def attribute_written(machine: Machine, base: Value, name: str, mask: int) -> None:
    """`optimizer.weight_decay = 0`"""
    if isinstance(base, Object) and has_option(machine, base, name):
        base.facts.setdefault(BESIDE, set()).add(name)
        machine.emit_event("record", BESIDE, name, mask, subject=base)


def attribute_read(machine: Machine, thing: Object, name: str, mask: int) -> None:
    """Somebody has a use for `optimizer.lr` after all."""
    if name in thing.facts.get(BESIDE, ()):
        machine.emit_event("record", READ, name, mask, subject=thing)


def has_option(machine: Machine, thing: Object, name: str) -> bool:
    """Is this one of torch's own optimizers, and takes an option of this name?"""
    made, kind = thing.facts.get("call"), thing.kind
    if not isinstance(made, Invocation) or not isinstance(kind, str) or not is_option(made, name):
        return False
    return OPTIMIZER in machine.knowledge.ancestors(kind)


def is_option(made: Invocation, name: str) -> bool:
    """Was the optimizer told this when it was made, or could it have been?"""
    return name in made.row.params[1:] or any(word == name for word, _ in made.keywords)


def item_written(machine: Machine, container: Value, index: Value, mask: int) -> None:
    """`for group in optimizer.param_groups: group["lr"] = rate`"""
    if isinstance(index, Const) and isinstance(container, Unknown) and of_group(container.symbol, DEEP):
        machine.emit_event("record", IN_GROUP, str(index.value), mask, subject=container)


def of_group(symbol: Symbol, depth: int) -> bool:
    kind, *parts = symbol.key
    return kind == GROUPS or (depth > 0 and any(of_group(one, depth - 1) for one in parts if isinstance(one, Symbol)))
