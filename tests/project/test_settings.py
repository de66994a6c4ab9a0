"""What do settings files say, which classes do they name, and under which keys?"""

from pathlib import Path

import pytest

from dtlint.machine.library.python.by_settings import ANY, end_in, is_under
from dtlint.project.settings import MOST, Named, Said, named, said
from dtlint.source.text import SourceFile


def said_in(text: str, name: str) -> tuple[Said, ...]:
    return said([SourceFile(name, Path(name), text.encode())])


def found(text: str, name: str = "conf/train.yaml") -> dict[tuple[str, ...], str]:
    rows = named(said_in(text, name), lambda module: module.startswith("project"))
    return {one.keys: f"{one.module}.{one.name}" for one in rows}


def test_keys_stand_above_each_other_by_indentation() -> None:
    text = """
model:
  _target_: project.nets.Unet   # the network
  width: 3
  parts:
    - _target_: "project.nets.Block"
      size: 2
    - name: project.nets.Other
data: project.data.make
"""
    assert found(text) == {
        ("model", "_target_"): "project.nets.Unet",
        ("model", "parts", "_target_"): "project.nets.Block",
        ("model", "parts", "name"): "project.nets.Other",
        ("data",): "project.data.make",
    }


def test_json_is_read_as_such() -> None:
    text = '{"saver": {"kind": "project.savers.Fast", "more": ["project.savers.Slow", 3]}}'
    assert found(text, "settings.json") == {
        ("saver", "kind"): "project.savers.Fast",
        ("saver", "more"): "project.savers.Slow",
    }


@pytest.mark.parametrize("text", ["", "{", "a: other.library.Thing\n", "file: project\n", "x: [project.a.B]\n"])
def test_nothing_else_is_named(text: str) -> None:
    assert found(text) == {} == found(text, "x.json")


def test_the_program_asks_by_the_same_keys() -> None:
    assert end_in(("model", "target"), ("model", "target"))
    assert end_in(("a", "model", "target"), ("model", "target"))
    assert not end_in(("model", "part", "target"), ("model", "target"))
    assert end_in(("callbacks", "early", "target"), ("callbacks", ANY, "target"))
    assert end_in(("callbacks", "target"), ("callbacks", ANY, "target"))
    assert not end_in(("callbacks", "a", "b", "target"), ("callbacks", ANY, "target"))


def test_a_folder_is_a_key_of_what_its_files_hold() -> None:
    one = Named("model", "small", ("_target_",), "project.nets", "Unet")
    assert is_under(one, ("model", "_target_"))
    assert is_under(one, ("model", "small", "_target_"))
    assert not is_under(one, ("data", "_target_"))


def test_words_are_said_as_well() -> None:
    rows = said_in("kind: 'small-net'\nwidth: 3\ntask:\n  name: sort  # of words\n  text: two words\n", "a/b.yaml")
    assert {one.keys: one.word for one in rows} == {("kind",): "small-net", ("task", "name"): "sort"}
    assert {(one.folder, one.file) for one in rows} == {("a", "b")}


def test_data_says_nothing() -> None:
    lines = "".join(f"name{number}: word{number}\n" for number in range(MOST + 1))
    assert not said_in(lines, "words.yaml")
    assert found(lines + "net: project.nets.Unet\n") == {("net",): "project.nets.Unet"}
