"""Is a check after an edit, with what is remembered from before, the same as one that remembers nothing?"""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config
from dtlint.machine import units

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROJECTS = (
    "DT101/helper_in_other_file",
    "DT101/package_reexport_ok",
    "DT101/inherited_hook",
    "DT102/helper_tells_to_stop",
    "DT105/context_exit",
    "DT114/download_by_lead",
)


def edited(random_: random.Random, lines: list[str], number: int) -> list[str]:
    """One small change of the kind people make: any of these may also leave a file that does not parse."""
    place = random_.randrange(len(lines))
    kind = random_.choice(("delete", "delete", "insert", "append", "repeat", "comment", "number"))
    if kind == "delete":
        return lines[:place] + lines[place + 1 :]
    if kind == "insert":
        return [*lines[:place], "", *lines[place:]]
    if kind == "append":
        return [*lines, "", "", f"def added_{number}():", f"    return {number}"]
    if kind == "repeat":
        return [*lines[:place], lines[place], *lines[place:]]
    if kind == "comment":
        return [*lines[:place], f"# note {number}", *lines[place:]]
    return [line.replace("0", str(number % 3)) if at == place else line for at, line in enumerate(lines)]


def test_remembered_units_answer_as_fresh_ones_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "project"
    for name in PROJECTS:
        shutil.copytree(FIXTURES / name, root / name.replace("/", "_"))
    monkeypatch.chdir(root)
    monkeypatch.setenv("DTLINT_CACHE_DIR", str(tmp_path / "cache"))
    config = replace(Config(), jobs=1)
    files = sorted(root.rglob("*.py"))
    random_ = random.Random(10)
    seen, saved, ran = set(), 0, []
    monkeypatch.setattr(units, "run_unit", counting(units.run_unit, ran))
    for number in range(16):
        file = random_.choice(files)
        original = file.read_text(encoding="utf-8").split("\n")
        file.write_text("\n".join(edited(random_, original, number)), encoding="utf-8")
        ran.clear()
        remembering = engine.check(["."], config)
        done = len(ran)
        ran.clear()
        fresh = engine.check(["."], replace(config, cache=False))
        assert remembering == fresh, f"after edit {number} of {file}"
        saved += len(ran) - done
        seen.add(tuple((finding.code, finding.span.path, finding.scope) for finding in fresh.findings))
        if number % 4 == 3:
            file.write_text("\n".join(original), encoding="utf-8")
    assert len(seen) > 1, "no edit made a difference"
    assert saved > 200, "nothing was remembered"


def counting(run_unit, ran):
    def counted(machine, unit, reached, ask):
        ran.append(unit)
        return run_unit(machine, unit, reached, ask)

    return counted
