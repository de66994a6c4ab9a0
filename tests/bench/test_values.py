"""Does the machine believe of ordinary expressions what Python says? Asked of dtlint's own source."""

from __future__ import annotations

from pathlib import Path

from bench.values.believed import LOST, RIGHT, WRONG, beliefs
from bench.values.samples import Sample, allowed, candidates, imported, samples, with_plain_names

CONTENTS = Path(__file__).resolve().parents[2] / "dtlint" / "ir"


def test_expressions_of_real_code_are_believed() -> None:
    found = samples(sorted(CONTENTS.glob("*.py")))
    judged = list(beliefs(found))
    assert len(found) > 60
    assert [one.sample for one in judged if WRONG in (one.known, one.parted)] == []
    assert sum(one.known == RIGHT for one in judged) > 0.85 * len(judged)


def test_a_false_belief_is_seen() -> None:
    sample = Sample("result = x + 1\n", (("x", "2"),), 4, ("x", "3"), 5, "", 1)
    assert next(beliefs([sample]))[1:] == (WRONG, WRONG)
    sample = Sample("result = somebody(x)\n", (("x", "2"),), 4, ("x", "2 + 1"), 5, "", 1)
    assert next(beliefs([sample]))[2] != LOST  # made of what differs


def test_what_reads_or_writes_is_not_run() -> None:
    import ast

    lines = ("open(name)", "os.remove(name)", "os.path.getsize(name)", "eval(name)", "name.write(1)")
    tree = ast.parse("import os.path\n" + "".join(f"x = {line}\n" for line in lines))
    imports = imported(tree)
    found = [with_plain_names(one, imports) for one in candidates(tree)]
    assert [ast.unparse(one) for one in found if allowed(one, imports)] == []
