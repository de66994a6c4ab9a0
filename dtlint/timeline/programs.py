"""Which files make up a program, and what is it for?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node, functions_of

TESTS = frozenset({"test", "tests", "testing"})
BY_ANY_NAME = frozenset({"globals", "locals", "Fire"})  # ways to call what is not named
TRIALS = TESTS | {"benchmark", "benchmarks"}


def in_a_test(path: str, folders_of: frozenset[str] = TESTS) -> bool:
    """Tests start ranks for one small thing, and leave what they made behind."""
    *folders, name = path.replace("\\", "/").split("/")
    words = name.removesuffix(".py").split("_")
    named = "smoke" in words or (len(words) > 1 and "test" in (words[0], words[-1]))
    return named or not folders_of.isdisjoint(folders)


def of_trials(path: str) -> bool:
    """Tests and benchmarks draw their dummy inputs from one key on purpose."""
    name = path.replace("\\", "/").rpartition("/")[2]
    return in_a_test(path, TRIALS) or name.startswith("benchmark_") or name.endswith("benchmark.py")


def passes(run: Any, option: str) -> bool:
    """Does a launcher of the project itself give this option to the processes it starts: `f"--local_rank={rank}"`?"""
    known: dict[str, bool] = run.cache.setdefault("options passed", {})
    if option not in known:
        known[option] = any(
            any(text.startswith(f"{option}=") for text in texts(run.project.module(path)))
            for path in run.project.mentioning(f"{option}=")
        )
    return known[option]


def names(run: Any, variable: str) -> bool:
    """Does a file of this program name the variable, to read it in whatever way?"""
    own = run.project.relatives(run.entry.path)
    return any(path in own and variable in texts(run.project.module(path)) for path in run.project.mentioning(variable))


def mentioned(run: Any, word: str, besides: frozenset[tuple[str, str]] = frozenset()) -> bool:
    """Does a file of this program use the word as a name, other than in these functions?"""
    own = run.project.relatives(run.entry.path)
    return any(path in own and used(run.project.module(path), word, besides) for path in run.project.mentioning(word))


def uncalled(run: Any, word: str) -> frozenset[tuple[str, str]]:
    """Functions that use the word and that nothing of this program names: written, and forgotten."""
    own = run.project.relatives(run.entry.path)
    return frozenset(
        (path, function.qualname)
        for path in run.project.mentioning(word)
        if path in own
        for function, owner in functions_of(run.project.module(path))
        if owner is None and word in function.tokens and not function.decorators
        if not any(is_named(run.project.module(other), function) for other in run.project.mentioning(function.name))
    )


def forgotten(run: Any) -> bool:
    """Is this a function of a program's own file that nothing names, there or where the file is imported? The program
    does not come to it."""
    if run.entry.kind != "function":
        return False
    module = run.project.module(run.entry.path)
    if module is None or "__main__" not in module.tokens or not module.tokens.isdisjoint(BY_ANY_NAME):
        return False
    free = (one for one, owner in functions_of(module) if owner is None and not one.decorators)
    function = next((one for one in free if one.qualname == run.entry.name), None)
    if function is None:
        return False
    own = run.entry.path
    near = [path for path in run.project.mentioning(function.name) if own in (path, *run.project.imported(path))]
    return not any(is_named(run.project.module(path), function) for path in near)


def is_named(module: ir.Module, function: ir.Function) -> bool:
    """Anywhere but in the function itself; importing a name is not using it, and a parameter may be called so too."""
    if function.name not in module.tokens:
        return False
    inside = {id(node) for node in every_node(function.body)}
    for other, _ in functions_of(module):
        if any(param.name == function.name for param in other.params):
            inside.update(id(node) for node in every_node(other.body))
    return any(
        id(node) not in inside
        and (
            (isinstance(node, ir.Name) and node.id == function.name)
            or (isinstance(node, ir.Attr) and node.name == function.name)
            or (isinstance(node, ir.Const) and node.value == function.name)
        )
        for node in every_node(module.body)
    )


def asked_for(run: Any, option: str) -> bool:
    """Does a file of this program ask for what was given for the option: an attribute, a text, or a parameter that all
    options are handed to? A variable of the same name may count something else."""
    own = run.project.relatives(run.entry.path)
    return any(path in own and asks(run.project.module(path), option) for path in run.project.mentioning(option))


def asks(module: ir.Module, option: str) -> bool:
    return option in module.tokens and any(
        (isinstance(node, ir.Attr | ir.Param) and node.name == option)
        or (isinstance(node, ir.Const) and node.value == option)
        for node in every_node(module.body)
    )


def used(module: ir.Module, word: str, besides: frozenset[tuple[str, str]]) -> bool:
    if word not in module.tokens:
        return False
    here = {function for path, function in besides if path == module.path}
    inside = [function.qualname for function, _ in functions_of(module) if word in function.tokens] if here else []
    return not here.issuperset(inside) or not inside


def texts(node: ir.Node) -> Iterator[str]:
    """What is written in quotes below here."""
    for inner in every_node(node):
        if isinstance(inner, ir.Const) and isinstance(inner.value, str):
            yield inner.value


ACTOR = "remote"  # `@ray.remote`, `@ray.remote(num_gpus=1)`, `@remote`


def in_an_actor(run: Any, event: Any) -> bool:
    """Does it happen in a method of a Ray actor? Ray shows each of them the GPUs that it may use, and no others."""
    module = run.project.module(event.path)
    owner = event.function.rpartition(".")[0]
    return module is not None and any(
        kind is not None and kind.qualname == owner and any(map(makes_actors, kind.decorators))
        for _, kind in functions_of(module)
    )


def makes_actors(decorator: ir.Expr) -> bool:
    called = decorator.func if isinstance(decorator, ir.Call) else decorator
    return (isinstance(called, ir.Attr) and called.name == ACTOR) or (
        isinstance(called, ir.Name) and called.id == ACTOR
    )
