"""Do imports find the files they mean?"""

from __future__ import annotations

import pytest

from dtlint.project.imports import ImportLine, scan_imports
from dtlint.project.names import Names


def names(files: dict[str, str]) -> Names:
    return Names(tuple(files), {path: scan_imports(text.encode()) for path, text in files.items()})


def found(project: Names, importer: str, module: str, level: int = 0) -> str | None:
    dotted = project.resolve(importer, module, level)
    return None if dotted is None else project.find_module(dotted)


def test_a_regular_package() -> None:
    project = names(
        {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/m.py": "", "train.py": "import pkg.sub.m"}
    )
    assert project.name_of("pkg/sub/m.py") == "pkg.sub.m"
    assert project.name_of("pkg/sub/__init__.py") == "pkg.sub"
    assert found(project, "train.py", "pkg.sub.m") == "pkg/sub/m.py"
    assert found(project, "train.py", "pkg.sub") == "pkg/sub/__init__.py"
    assert project.find_package("pkg.sub") and not project.find_package("pkg.sub.m")


@pytest.mark.parametrize(
    ("module", "level", "path"),
    [
        ("n", 1, "pkg/sub/n.py"),
        ("", 1, "pkg/sub/__init__.py"),
        ("", 2, "pkg/__init__.py"),
        ("other", 2, "pkg/other.py"),
        ("sub.n", 2, "pkg/sub/n.py"),
    ],
)
def test_relative_imports(module: str, level: int, path: str) -> None:
    files = ("pkg/__init__.py", "pkg/other.py", "pkg/sub/__init__.py", "pkg/sub/m.py", "pkg/sub/n.py")
    project = names(dict.fromkeys(files, ""))
    assert found(project, "pkg/sub/m.py", module, level) == path
    assert found(project, "pkg/sub/__init__.py", module, level) == path


def test_impossible_and_unknown_imports() -> None:
    project = names({"a.py": "", "pkg/__init__.py": "", "pkg/m.py": ""})
    assert project.resolve("a.py", "x", 3) is None
    assert project.resolve("pkg/m.py", "missing", 1) == "pkg.missing"
    assert project.resolve("a.py", "torch.distributed", 0) == "torch.distributed"
    assert project.find_module("torch.distributed") is None
    assert project.resolve("a.py", "pkg.m.name", 0) == "pkg.m.name"


def test_src_layout() -> None:
    project = names({"src/pkg/__init__.py": "", "src/pkg/m.py": "", "tests/test_m.py": "from pkg.m import f"})
    assert project.name_of("src/pkg/m.py") == "pkg.m"
    assert found(project, "tests/test_m.py", "pkg.m") == "src/pkg/m.py"


def test_every_folder_of_scripts_is_a_root() -> None:
    files = {"a/train.py": "import utils", "a/utils.py": "", "b/train.py": "from utils import f", "b/utils.py": ""}
    project = names(files)
    assert found(project, "a/train.py", "utils") == "a/utils.py"
    assert found(project, "b/train.py", "utils") == "b/utils.py"
    given = {project.name_of(path) for path in files}
    assert len(given) == 4
    assert all(project.find_module(project.name_of(path)) == path for path in files)


def test_a_script_folder_elsewhere_is_not_on_the_path() -> None:
    project = names({"a/train.py": "import utils", "b/utils.py": ""})
    assert found(project, "a/train.py", "utils") is None


def test_namespace_packages() -> None:
    project = names(
        {"train.py": "from models.unet import U", "models/unet.py": "from models import layers", "models/layers.py": ""}
    )
    assert project.name_of("models/unet.py") == "models.unet"
    assert found(project, "train.py", "models.unet") == "models/unet.py"
    assert project.resolve("train.py", "models", 0) == "models"
    assert project.find_package("models")
    assert found(project, "models/unet.py", "models.layers") == "models/layers.py"
    assert found(project, "models/unet.py", "layers", 1) == "models/layers.py"


def test_a_folder_of_scripts_is_no_library() -> None:
    project = names(
        {"scripts/torch/train.py": "import torch\nfrom torch.nn import parallel\n", "scripts/torch/eval.py": ""}
    )
    assert project.resolve("scripts/torch/train.py", "torch", 0) == "torch"
    assert project.resolve("scripts/torch/train.py", "torch.nn", 0) == "torch.nn"
    space = names({"tools/data/reading.py": "", "tools/train.py": "from data import reading\n"})
    assert found(space, "tools/train.py", "data.reading") == "tools/data/reading.py"


def test_a_folder_without_init_inside_a_package() -> None:
    project = names({"pkg/__init__.py": "", "pkg/ns/m.py": "", "main.py": "import pkg.ns.m"})
    assert project.name_of("pkg/ns/m.py") == "pkg.ns.m"
    assert found(project, "main.py", "pkg.ns.m") == "pkg/ns/m.py"


def test_the_standard_library_wins_inside_packages() -> None:
    project = names(
        {"pkg/__init__.py": "", "pkg/logging.py": "", "pkg/m.py": "import logging", "s/io.py": "", "s/t.py": ""}
    )
    assert found(project, "pkg/m.py", "logging") is None
    assert found(project, "s/t.py", "io") == "s/io.py"


def test_another_project_of_the_same_run() -> None:
    project = names(
        {"one-1.0/src/one/__init__.py": "", "one-1.0/src/one/m.py": "", "two/two/__init__.py": "import one.m"}
    )
    assert project.name_of("one-1.0/src/one/m.py") == "one.m"
    assert found(project, "two/two/__init__.py", "one.m") == "one-1.0/src/one/m.py"


def test_two_packages_of_one_name_stay_apart() -> None:
    files = dict.fromkeys(("p/utils/__init__.py", "p/utils/a.py", "q/utils/__init__.py", "q/utils/b.py"), "")
    project = names({**files, "p/t.py": "import utils.a", "q/t.py": "import utils.b"})
    assert found(project, "p/t.py", "utils.a") == "p/utils/a.py"
    assert found(project, "q/t.py", "utils.b") == "q/utils/b.py"
    assert found(project, "p/t.py", "utils.b") is None


def test_a_package_at_the_base_and_paths_above_it() -> None:
    project = names({"__init__.py": "", "m.py": "", "../x/y.py": "import z", "../x/z.py": ""})
    assert found(project, "m.py", "", 1) == "__init__.py"
    assert found(project, "../x/y.py", "z") == "../x/z.py"


def test_a_notebook_beside_its_module() -> None:
    project = names({"train.py": "", "train.ipynb": ""})
    assert project.name_of("train.py") != project.name_of("train.ipynb")
    assert found(project, "x.py", "train") == "train.py"


def test_scanning() -> None:
    text = b"""
import a.b as c, d
from .x import (  # why
    e,  # f
    g as h,
)
    from ... import i
from j import *
from k import l, \\
    m
# import no
important = 1
"""
    assert scan_imports(text) == (
        ImportLine("a.b", 0, (), ("c",)),
        ImportLine("d", 0, (), ("d",)),
        ImportLine("x", 1, ("e", "g"), ("e", "h")),
        ImportLine("", 3, ("i",), ("i",)),
        ImportLine("j", 0, ("*",), ("*",)),
        ImportLine("k", 0, ("l", "m"), ("l", "m")),
    )


def test_imports_for_types_alone_are_marked():
    found = scan_imports(
        b"""from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import a

    if x:
        from b import c
else:
    import d
try:
    import e
except ImportError:
    pass
"""
    )
    marked = [(line.module, line.for_types) for line in found]
    assert marked == [("typing", False), ("a", True), ("b", True), ("d", False), ("e", False)]


def test_a_program_started_in_the_folder_of_a_package() -> None:
    """`suite/training/main.py` imports `training.options`: then its neighbours are found there as well, though not
    where nobody shows that a program is started there."""
    files = {
        "suite/__init__.py": "",
        "suite/training/__init__.py": "",
        "suite/training/main.py": "import training.options\nimport models.net\n",
        "suite/training/options.py": "",
        "suite/models/__init__.py": "",
        "suite/models/net.py": "",
    }
    project = names(files)
    assert found(project, "suite/training/main.py", "training.options") == "suite/training/options.py"
    assert found(project, "suite/training/main.py", "models.net") == "suite/models/net.py"
    files["suite/training/main.py"] = "import models.net\n"
    assert found(names(files), "suite/training/main.py", "models.net") is None


def test_a_project_that_is_the_package_itself() -> None:
    """`from suite.core.loop import run` where `core/loop.py` and `__init__.py` lie side by side at the top. A library
    of which the project has folders of some names, and not of others, is not meant."""
    files = {
        "__init__.py": "",
        "core/train.py": "from suite.core.loop import run\nfrom suite.tools.state import State\nimport torch.core.nn\n",
        "core/loop.py": "",
        "tools/state.py": "import torch.optim\nimport suite\n",
    }
    project = names(files)
    assert found(project, "core/train.py", "suite.core.loop") == "core/loop.py"
    assert found(project, "core/train.py", "suite.tools.state") == "tools/state.py"
    assert found(project, "tools/state.py", "suite") is None
    assert project.resolve("core/train.py", "torch.core.nn", 0) == "torch.core.nn"
    del files["__init__.py"]
    assert found(names(files), "core/train.py", "suite.core.loop") is None
