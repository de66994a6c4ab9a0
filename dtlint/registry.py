"""Which rules are there, and which of them did the user ask for?

Rules are files in `rules/`, found by name and loaded by path; there is no list to edit. In a wheel they lie in
`dtlint/rules`, in a checkout beside the package.
"""

from __future__ import annotations

import difflib
import importlib.util
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from dtlint import rules_folder
from dtlint.api import Rule
from dtlint.findings import Finding
from dtlint.mistakes import Mistake

RULE_FILE = re.compile(r"dt\d{3}_[a-z0-9_]+\.py")


class UnknownRule(Mistake):
    """A selector names no rule."""


def rule_files(where: Path) -> list[Path]:
    return sorted(path for path in where.glob("dt*.py") if RULE_FILE.fullmatch(path.name))


def load(path: Path) -> Rule:
    """Run one rule file and return its rule."""
    name = f"dtlint.rules.{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise ImportError(f"{path} cannot be loaded as a rule")
    module = importlib.util.module_from_spec(specification)
    # Registered before it runs: dataclasses and pickling look their module up by name.
    sys.modules[name] = module
    specification.loader.exec_module(module)
    rule: Rule = module.RULE
    if not path.name.startswith(rule.code.lower() + "_"):
        raise ImportError(f"{path}: the rule in it says its code is {rule.code}")
    launch = getattr(module, "check_launch", None)
    return replace(rule, check=module.check, check_launch=launch, documentation=(module.__doc__ or "").strip())


@cache
def rules(extra: tuple[Path, ...] = ()) -> tuple[Rule, ...]:
    """Every rule, in the order of the codes. `extra` are further directories, given on the command line only."""
    found: dict[str, Rule] = {}
    for where in (rules_folder(), *extra):
        for path in rule_files(where):
            rule = load(path)
            if rule.code in found:
                raise ImportError(f"{path}: there is a rule {rule.code} already")
            found[rule.code] = rule
    return tuple(found[code] for code in sorted(found))


def names(selector: str, rule: Rule) -> bool:
    """Does `DT101`, `DT1`, `rank-guarded-collective` or `ALL` mean this rule?"""
    if selector.upper() == "ALL" or selector == rule.slug:
        return True
    return selector.upper().startswith("DT") and rule.code.startswith(selector.upper())


def matching(selector: str, known: Sequence[Rule]) -> list[Rule]:
    """The rules a selector means; naming none is a mistake worth a suggestion."""
    found = [rule for rule in known if names(selector, rule)]
    if found or selector.upper() == "ALL":
        return found
    candidates = [name for rule in known for name in (rule.code, rule.slug)]
    near = difflib.get_close_matches(selector.upper(), candidates, 1) or difflib.get_close_matches(
        selector.lower(), candidates, 1, 0.5
    )
    hint = f"; did you mean `{near[0]}`?" if near else "; `dtlint rules` lists them"
    raise UnknownRule(f"no rule `{selector}`{hint}")


def one(selector: str, known: Sequence[Rule]) -> Rule:
    """The single rule called `DT101` or `rank-guarded-collective`."""
    meant = matching(selector, known)
    for rule in meant:
        if selector.upper() == rule.code or selector == rule.slug:
            return rule
    raise UnknownRule(f"`{selector}` means {len(meant)} rules; `dtlint rules --select {selector}` lists them")


def chosen(known: Sequence[Rule], select: Iterable[str], ignore: Iterable[str]) -> tuple[Rule, ...]:
    """The rules that run: the most exact selector wins, and at the same exactness `ignore` does."""

    def exactness(selectors: list[str], rule: Rule) -> int:
        hits = [item for item in selectors if names(item, rule)]
        return max((1 if item.upper() == "ALL" else min(len(item), len(rule.code)) for item in hits), default=0)

    wanted, unwanted = list(select) or ["ALL"], list(ignore)
    for selector in (*wanted, *unwanted):
        matching(selector, known)
    return tuple(rule for rule in known if exactness(wanted, rule) > exactness(unwanted, rule))


def reported(finding: Finding, rule: Rule, select: Iterable[str], strict: bool) -> bool:
    """Strict-tier findings are for those who asked: `--strict`, or a strict rule selected by its own name."""
    if strict or finding.tier == "default":
        return True
    return rule.tier == "strict" and any(item.upper() == rule.code or item == rule.slug for item in select)
