"""What can be reached along imports, and against them."""

from __future__ import annotations

from pathlib import Path

from dtlint.project.modules import Project
from dtlint.project.reach import reached, turned
from dtlint.source.text import SourceFile


def test_what_leads_back_is_reached_too() -> None:
    edges = {"a": {"b"}, "b": {"c"}, "c": {"b"}}
    assert reached("a", edges) == {"b", "c"}
    assert reached("b", edges) == {"b", "c"}
    assert turned(edges) == {"b": {"a", "c"}, "c": {"b"}}


def test_relatives_are_what_it_imports_and_what_imports_it_but_not_their_other_ones() -> None:
    texts = {
        "train.py": "from kit import steps\n",
        "serve.py": "from kit import steps, web\n",
        "kit/__init__.py": "",
        "kit/steps.py": "from kit import base\n",
        "kit/base.py": "",
        "kit/web.py": "",
    }
    project = Project.build([SourceFile(path, Path(path), text.encode()) for path, text in texts.items()], None)
    kit = {"kit/__init__.py", "kit/base.py", "kit/steps.py"}
    assert project.relatives("kit/steps.py") == kit | {"train.py", "serve.py"}
    assert "kit/web.py" not in project.relatives("train.py")
