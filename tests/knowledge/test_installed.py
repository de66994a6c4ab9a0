"""Does every row name something the installed libraries have, with the parameters it says?

One child process per library, run with this interpreter: what is not installed here is skipped, a name that an
installed library lacks fails, unless its row is `optional`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from dtlint.knowledge import loader

PROBE = Path(__file__).with_name("probe.py")


ALIASES = tuple(loader.load().aliases.items())


def written(name):
    """Other names that one name is imported by: the canonical one need not be in the library."""
    return [alias + name.removeprefix(canonical) for alias, canonical in ALIASES if name.startswith(f"{canonical}.")]


def rows_by_library():
    found: dict[str, list[dict]] = {}
    for pack, content in loader._shipped():
        for section in ("call", "attribute", "type"):
            for row in content.get(section, ()):
                for name in row["names"]:
                    library = name.partition(".")[0]
                    found.setdefault("python" if library in sys.stdlib_module_names else library, []).append(
                        {
                            "pack": pack,
                            "section": section,
                            "name": name,
                            "written": written(name),
                            "params": row.get("params", []),
                            "optional": row.get("optional", False),
                            "usual": row.get("extra", {}).get("startup", {}).get("usual", {}),
                        }
                    )
    return found


ROWS = rows_by_library()


def probe(rows):
    finished = subprocess.run(
        [sys.executable, str(PROBE)], input=json.dumps(rows), capture_output=True, text=True, timeout=600, check=False
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    return json.loads(finished.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("library", sorted(ROWS))
def test_rows_match_the_installed_library(library):
    if library != "python" and find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    answer = probe(ROWS[library])
    if answer["broken"]:
        pytest.skip(f"{library} is installed but cannot be imported: {answer['broken']}")
    assert answer["complaints"] == []
    if answer["unseen"]:
        count = len(answer["unseen"])
        pytest.skip(
            f"{library}: {count} of {len(ROWS[library])} names cannot be imported here: {answer['unseen'][0]}, …"
        )


def row(name, params=(), optional=False, section="call", usual=None):
    given = {"params": list(params), "optional": optional, "usual": usual or {}}
    return {"pack": "p", "section": section, "name": name, **given}


def test_the_probe_sees_what_is_wrong():
    """The standard library stands in for a framework, so this runs everywhere."""
    right = [
        row("json.dumps", ["obj"]),
        row("pathlib.Path.mkdir", ["mode", "parents", "exist_ok"]),
        row("json.JSONDecoder.decode", ["s"]),
        row("logging.Logger.handlers", section="attribute"),
        row("json.gone", optional=True),
        row("pathlib.Path.exists", ["self"]),
        row("pathlib.Path.mkdir", usual={"parents": False}),
    ]
    assert probe(right) == {"broken": "", "unseen": [], "complaints": []}
    wrong = [
        row("json.gone"),
        row("json.JSONDecoder.gone"),
        row("json.dumps", ["text"]),
        row("pathlib.Path.mkdir", ["parents"]),
        row("logging.Logger.nothing_like_it", section="attribute"),
        row("pathlib.Path.mkdir", usual={"parents": True}),
        row("pathlib.Path.mkdir", usual={"children": True}),
    ]
    found = probe(wrong)["complaints"]
    assert len(found) == len(wrong)
    assert "json.gone does not exist" in found[0]
    assert "takes" in found[2] and "takes" in found[3]
