"""Does the forward pass of a wrapped model always use all of it, so that a search for unused parameters finds none?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.logs import Choice
from dtlint.machine.values import TRUE, ClassRef, Object, Unknown
from dtlint.timeline.order import Met
from dtlint.timeline.steps import models_used, waiting
from dtlint.timeline.steps.model_parts import DEPTH, children, has, is_module, of_project, parts, row_of
from dtlint.timeline.steps.models_used import called_by, numbers_of
from dtlint.timeline.steps.names_of_parts import functions
from dtlint.timeline.steps.stepping import events

PARAMETER = "torch.nn.Parameter"
ALL_USED = "every forward pass uses all of the model"


def needless_searches(run: Any) -> Iterator[tuple[Met, str]]:
    for met, call, inner in models_used.wraps(run):
        if call.get("find_unused_parameters") != TRUE:
            continue
        if call.get("static_graph") == TRUE:
            yield met, "`static_graph=True` finds unused parameters by itself"
        elif plain(run, inner) or uses_all(run, inner):
            yield met, ALL_USED
    for met, owner, inner in models_used.prepared(run):
        if waiting.searches(owner) and (plain(run, inner) or uses_all(run, inner)):
            yield met, ALL_USED


def plain(run: Any, model: Object, depth: int = DEPTH) -> bool:
    """A chain of torch's own layers: nothing in it can be left out."""
    row = row_of(run, model)
    if row is None or row.pack != "torch_modules":
        return False
    return depth > 0 and all(plain(run, inner, depth - 1) for _, inner in children(model))


def uses_all(run: Any, wrapped: Object) -> bool:
    """A class of the project whose every part is known, and called in each forward pass whatever is decided there."""
    forwards = [met for met in events(run, "collective", "forward") if wrapped in models_used.inner_of(met.event)]
    models = list(of_project(wrapped))
    if not forwards or not models or not all(understood(run, model) for model in models):
        return False
    if any(not plain(run, inner) for _, inner in children(wrapped) if inner not in models and wrapped not in models):
        return False
    around = {id(node) for met in forwards for node, _ in met.above}
    uses = [met for met in events(run, "record", "module-call") if undecided(met, around)]
    used = set[int]().union(*(numbers_of(met.event.subject) for met in uses))
    held = [part.module for model in models for part in parts(model) if is_module(run, part.module)]
    weighty = [module for module in held if has(run, module, "parameters")]
    return bool(weighty) and all(
        called_by(module) & used and (plain(run, module) or understood(run, module)) for module in weighty
    )


def undecided(use: Met, around: set[int]) -> bool:
    """Made in every forward pass: no decision between them."""
    return not any(isinstance(node, Choice) and id(node) not in around for node, _ in use.above)


def understood(run: Any, model: Object) -> bool:
    """A class of the project that keeps no parameters of its own, and calls nothing nobody knows."""
    if not isinstance(model.kind, ClassRef):
        return False
    hidden = {str(name) for name, value in model.attributes.items() if isinstance(value, Unknown)}
    bare = any(isinstance(value, Object) and value.kind == PARAMETER for value in model.attributes.values())
    own = f"{model.kind.node.qualname}."
    methods = [
        function
        for function in functions(run.project.module(model.kind.path).body)
        if function.qualname.startswith(own) and function.name != "__init__"
    ]
    return not bare and bool(methods) and not any(asked_of(function, hidden) for function in methods)


def asked_of(node: ir.Function, names: set[str]) -> bool:
    """Is one of these attributes named under `node`?"""
    return any(isinstance(one, ir.Attr) and one.name in names for one in every_node(node))
