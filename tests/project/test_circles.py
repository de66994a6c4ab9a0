"""Which modules import each other in a circle?"""

from __future__ import annotations

from dtlint.project.circles import circles


def test_circles_are_told_from_chains() -> None:
    imports = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": [], "e": ["e", "a"]}
    assert circles(imports) == {"a": ("a",), "b": ("b", "c"), "c": ("b", "c"), "d": ("d",), "e": ("e",)}


def test_two_circles_that_share_a_module_are_one() -> None:
    assert set(circles({"a": ["b", "c"], "b": ["a"], "c": ["a"]}).values()) == {("a", "b", "c")}


def test_a_long_chain_of_imports_is_no_problem() -> None:
    imports = {f"m{number}": [f"m{number + 1}"] for number in range(5000)} | {"m5000": ["m0"]}
    assert len(circles(imports)["m77"]) == 5001
