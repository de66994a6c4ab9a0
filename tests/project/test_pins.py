"""Which versions do requirements let in?"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from dtlint.project.pins import Pin, Pins, mentions, stated, states
from dtlint.source.text import SourceFile


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("torch==1.13.1", (1, 13, 2)),
        ("torch==1.13.*", (1, 14)),
        ("torch == 1.7.1+cu110  # the old cluster", (1, 7, 2)),
        ("torch~=1.13.0", (1, 14)),
        ("torch>=1.8,<2", (2,)),
        ("torch<=2.1.2 ; python_version < '3.9'", (2, 1, 3)),
        ("torch[opt-einsum]<2.0", (2, 0)),
        ('torch = "^1.13"', (2,)),
        ('torch = "~1.13.1"', (1, 14)),
        ('    install_requires=["numpy", "torch>=1.10, <1.13"],', (1, 13)),
        ("  - pytorch=1.7.1=py3.8_cuda11", (1, 7, 2)),
        ("  - pytorch::pytorch=2.0", (2, 1)),
        ("torch>=1.8", None),
        ("torch!=2.0.1", None),
    ],
)
def test_first_version_that_is_kept_out(line: str, below: tuple[int, ...] | None) -> None:
    assert ("torch", below) in list(mentions(line))


@pytest.mark.parametrize(
    "line", ["torch", "torchvision==0.8", "my-torch==1.0", "# torch==1.8", "-f https://x/torch/1.8"]
)
def test_lines_that_say_nothing_of_the_library(line: str) -> None:
    assert "torch" not in [name for name, _ in mentions(line)]


def test_the_nearest_folder_counts_and_all_that_it_says() -> None:
    pins = Pins(
        (Pin(".", "torch", (2,)), Pin("new", "torch", None), Pin("both", "torch", (2,)), Pin("both", "torch", None))
    )
    assert pins.before("train.py", "torch 2.0")
    assert pins.before("old/deep/train.py", "torch 2.2")
    assert not pins.before("train.py", "torch 1.9")
    assert not pins.before("new/train.py", "torch 2.0")
    assert not pins.before("both/train.py", "torch 2.0")
    assert not pins.before("train.py", "jax 0.4")


@pytest.mark.parametrize(
    "path",
    ["requirements.txt", "requirements-dev.txt", "requirements/base.txt", "docker/requirements_gpu.in", "setup.py",
     "setup.cfg", "pyproject.toml", "environment.yml", "conda_env.yaml", "env_gpu.yml"],
)  # fmt: skip
def test_files_that_list_requirements(path: str) -> None:
    assert states(PurePosixPath(path))


@pytest.mark.parametrize("path", ["labels.txt", "configs/environment/atari.txt", "train.py", "conf/model.yaml"])
def test_files_that_do_not(path: str) -> None:
    assert not states(PurePosixPath(path))


def test_a_folder_of_requirements_speaks_for_the_one_around_it(tmp_path: Path) -> None:
    lines = tmp_path / "base.txt"
    lines.write_text("torch<1.9\n")
    pins = stated([SourceFile("part/requirements/base.txt", lines)])
    assert pins.before("part/data.py", "torch 1.9") and not pins.before("other/data.py", "torch 1.9")
