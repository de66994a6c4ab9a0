"""What do the jobs of a workflow start: GitHub Actions, GitLab CI?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.launch.commands import Place, script_launches
from dtlint.launch.model import Launch
from dtlint.launch.shell_values import Scope, Word, marker
from dtlint.launch.shell_words import ShellProblem
from dtlint.launch.tree import Tree

NONE = Tree({}, 0)
GITLAB = ("before_script", "script", "after_script")


def is_workflow(tree: Tree) -> bool:
    return next(_scripts(tree), None) is not None


def launches(path: str, tree: Tree) -> list[Launch]:
    """The launches of all scripts; a text that is no shell (`shell: python`) starts nothing."""
    found: list[Launch] = []
    for number, (script, variables) in enumerate(_scripts(tree)):
        text, line = script.script
        scope = Scope()
        for given in variables:
            for name, item in given.items():
                value = str(item.value) if item.text is None or "${{" not in item.text else marker(f"${name}")
                scope.values[name] = (Word(value, item.line),)
                scope.exported.add(name)
        try:
            found += script_launches(text, Place(path, depth=1, branch=((-1, number),)), line, scope)
        except ShellProblem:
            continue
    return found


def _scripts(tree: Tree) -> Iterator[tuple[Tree, tuple[Tree, ...]]]:
    """Each script with the variables that are set for it, from the outside in."""
    for _, job in (tree.get("jobs") or NONE).items():
        for step in (job.get("steps") or Tree([], 0)).elements():
            run = step.get("run")
            if run is not None and run.text is not None:
                yield run, tuple(part.get("env") or NONE for part in (tree, job, step))
    if tree.get("jobs") is not None:
        return
    for name, job in tree.items():
        for part in GITLAB if name not in ("services", "spec") else ():
            for line in (job.get(part) or Tree([], 0)).elements():
                if line.text is not None:
                    yield line, tuple(one.get("variables") or NONE for one in (tree, job))
