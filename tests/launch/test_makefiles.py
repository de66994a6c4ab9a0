"""Which commands does a Makefile give a shell, and on which lines?"""

from __future__ import annotations

import pytest

from dtlint.launch.files import is_launching, launch_files
from dtlint.launch.makefiles import as_script, is_makefile
from dtlint.launch.shell import commands
from dtlint.launch.shell_values import shown


def run(text):
    return [(command.line, [shown(word.text) for word in command.words]) for command in commands(as_script(text))]


def recipe(*lines):
    return "\n".join([*lines[:-1], "all:", f"\t{lines[-1]}", ""])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("N = 2", "echo $(N) ${N} $N '$(N)'"), ["2", "2", "2", "2"]),
        (("N ?= 4", "echo $(N) $(M) $$M"), ["${N:-4}", "${M}", "$M"]),
        (("A = $(B)", "B := 1 2", "B += 3", "echo $(A)"), ["1", "2", "3"]),
        (("B = 1", "A := $(B)", "B = 2", "echo $(A)"), ["1"]),
        (("A = $(A)x", "echo $(A)"), ["${_}xxxxxxxx"]),
        (("A = \\", "  one \\", "  two # and no more", "echo $(A)"), ["one", "two"]),
        (("H := $(shell hostname -I)", "echo $(H) $(wildcard *.py)"), ["$(hostname -I)", "${_}"]),
        (("H := $$HOME", "echo $(H) $$(nproc)"), ["$HOME", "$(nproc)"]),
        (("ifdef X", "N = 2", "else", "N = 3", "endif", "echo $(N)"), ["${N}"]),
        (("define text", "N = 1", "endef", "-@echo $(N)"), ["${N}"]),
    ],
)
def test_what_stands_for_a_variable(lines, expected):
    assert run(recipe(*lines))[-1][1][1:] == expected


def test_each_rule_is_a_branch_of_its_own_and_lines_stay_where_they_are():
    text = "N = 2\nall: data\n\t@echo $@ \\\n\t  $< # why\n\nsome: ; echo one\n%.o: %.c\n\techo $@\n"
    assert run(text) == [(3, ["echo", "all", "data"]), (6, ["echo", "one"]), (8, ["echo", "${_}"])]
    assert len({command.branch for command in commands(as_script(text))}) == 3
    assert len(as_script(text).split("\n")) == len(text.split("\n")) + 1


def test_conditions_stand_in_a_recipe_or_around_rules():
    inside = "all:\nifeq ($(N),1)\n\techo a\nelse\n\techo b\nendif\n\techo c\n"
    around = "ifdef N\nall:\n\techo a\nelse\nall:\n\techo b\nendif\nsome:\n\techo c\n"
    for text in (inside, around):
        echoes = [row[1] for _, row in run(text) if row[0] == "echo"]
        assert echoes == ["a", "b", "c"]
        branches = [command.branch for command in commands(as_script(text)) if command.names[0] == "echo"]
        assert len(set(branches)) == 3


def test_what_is_exported_is_known_to_the_recipes():
    text = "export A := 1\nB = 2\nexport B C\nsome: A = 3\nall:\n\ttrain\n"
    (command,) = [one for one in commands(as_script(text)) if one.names == ["train"]]
    assert command.scope.exported == {"A", "B"}
    assert command.scope.values["A"][0].text == "1"


def test_makefiles_are_found_by_their_names(tmp_path, monkeypatch):
    for name in ("Makefile", "jobs/GNUmakefile", "jobs/pod.mk", "jobs/makefile.txt", "Makefiles"):
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("all:\n\ttorchrun train.py\n")
    monkeypatch.chdir(tmp_path)
    assert [file.path for file in launch_files(["."]).files] == ["Makefile", "jobs/GNUmakefile", "jobs/pod.mk"]
    assert is_launching("jobs/Makefile") and is_makefile("x/rules.mk") and not is_launching("makefile.txt")
