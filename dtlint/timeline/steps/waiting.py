"""Which wrappers wait for the gradient of every parameter, as nobody told them that some may be missing?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.library.training.wrapping import ALONE, given
from dtlint.machine.values import TRUE, Const, Object, Symbol, Tuple, Unknown, Value

SEARCH = "find_unused_parameters"
TELLING = (SEARCH, "static_graph")  # options by which DDP knows that gradients may be missing
HANDLERS = "kwargs_handlers"
AUTOMATIC = "auto"


def option(call: Any, name: str) -> Value | None:
    found: Value | None = call.get(name)
    if found is None and any(keyword is None for keyword, _ in call.keywords):
        return Unknown(Symbol(("option", name), 1))  # something in **options
    return found


def off(value: Value | None) -> bool:
    return value is None or (isinstance(value, Const) and not value.value)


def untold(call: Any) -> bool:
    """Made without a word of missing gradients."""
    return all(off(option(call, word)) for word in TELLING)


def of_framework(owner: Any) -> bool:
    """A trainer, a Fabric, an accelerator: does it wrap what it is given by DDP, and was it not told?"""
    made = owner.facts.get("call") if isinstance(owner, Object) else None
    if made is None or owner.facts.get(ALONE):
        return False
    unless = made.row.extra.get("waits_unless")
    if unless is not None:
        spread = any(name is None for name, _ in made.keywords)
        return not spread and not any(given(made.get(one)) for one in unless) and handlers_untold(made)
    return by_strategy(made)


def by_strategy(made: Any) -> bool:
    strategy = option(made, "strategy")
    own = getattr(strategy, "facts", {}).get("call")
    name = strategy.value if isinstance(strategy, Const) else getattr(strategy, "kind", None)
    if strategy is None or name == AUTOMATIC:
        others = [Const(one) for one in made.row.extra.get("waits_not_on", ())]
        return bool(made.row.extra.get("waits")) and several(made) and made.get("accelerator") not in others
    return name in made.row.extra.get("waits", ()) and (own is None or untold(own))


def several(made: Any) -> bool:
    """More than one process, said in numbers."""
    counts = (made.get("devices"), made.get("num_nodes"))
    return any(isinstance(one, Const) and type(one.value) is int and one.value > 1 for one in counts)


def handlers_untold(made: Any) -> bool:
    """`kwargs_handlers=[…]`: all of them are known, and none speaks of missing gradients."""
    return not given(made.get(HANDLERS)) or all(call is not None and untold(call) for call in handlers(made))


def handlers(made: Any) -> list[Any]:
    """The calls that made them; None for what nobody knows."""
    listed = made.get(HANDLERS)
    held = listed.attributes.get("[]") if isinstance(listed, Object) else listed
    return [getattr(one, "facts", {}).get("call") for one in held.items] if isinstance(held, Tuple) else [None]


def searches(owner: Object) -> bool:
    """Was it told to look for unused parameters, by an option of the wrapper or by the name of a strategy?"""
    made = owner.facts.get("call")
    if made is None:
        return False
    strategy = made.get("strategy")
    if isinstance(strategy, Const):
        return strategy.value == "ddp_find_unused_parameters_true"
    told = [*handlers(made), getattr(strategy, "facts", {}).get("call")]
    return any(call is not None and call.get(SEARCH) == TRUE for call in told)
