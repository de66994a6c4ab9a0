"""Which files of a process are asked for the name of a variable?"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from dtlint.trace import unread


def test_a_library_below_a_folder_of_that_name_is_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "work-on-dtlint" / "site-packages" / "library.py"
    file.parent.mkdir(parents=True)
    file.write_text("")
    library = ModuleType("library")
    library.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "library", library)
    asked = unread._loaded_files()
    assert str(file) in asked
    assert unread.__file__ not in asked
