"""Which commands with which words does a script give?"""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dtlint.launch.shell import commands
from dtlint.launch.shell_values import Scope, Word, arithmetic, expand, fallback, known, shown, split_fields
from dtlint.launch.shell_words import ShellProblem


def run(text):
    return [[shown(word.text) for word in command.words] for command in commands(text)]


def last(text):
    return run(text)[-1][1:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("N=2\necho $N ${N} \"$N\" '$N' \\$N", ["2", "2", "2", "$N", "$N"]),
        ("echo $N ${N:-4} ${N:?no}", ["$N", "${N:-4}", "${N:?no}"]),
        ("N=\necho [${N:-4}] [${N-4}] [${N:+x}]", ["[4]", "[]", "[]"]),
        ("A=(x 'y z')\necho ${A[@]}", ["x", "y", "z"]),
        ("A=(x 'y z')\necho \"${A[@]}\" ${A[1]} $A", ["x", "y z", "y", "z", "x"]),
        ("A=(x)\nA+=(y z)\necho ${A[@]}", ["x", "y", "z"]),
        ("A='x y'\nA+=' z'\necho $A", ["x", "y", "z"]),
        ("N=4\necho $((N * 2)) $(($N*2 + 1)) $((M))", ["8", "9", "$((M))"]),
        ("N=4\necho $(expr $N \\* 2) `expr $N + 1` $(echo $N)", ["8", "5", "4"]),
        ("export N=2 M=3\necho $N$M", ["23"]),
        ("N=2\nunset N\necho $N", ["$N"]),
        ("read N\necho $N", ["$N"]),
        ("A='x  y'\necho \"$A\" $A", ["x  y", "x", "y"]),
        ("P=80\necho host:$P --x=$P", ["host:80", "--x=80"]),
    ],
)
def test_expansion(text, expected):
    assert last(text) == expected


def test_what_a_branch_assigns_is_known_inside_and_forgotten_after():
    text = "N=1\nif x; then N=2; echo $N; else N=3; echo $N; fi\necho $N"
    assert [row[1] for row in run(text) if row[0] == "echo"] == ["2", "3", "$N"]
    assert last("N=1\nif x; then N=1; fi\necho $N") == ["1"]
    assert last("N=1\n[ -z $M ] && N=2\necho $N") == ["$N"]
    assert last("N=1\nmake || N=2\necho $N") == ["$N"]
    assert last("N=1\nfor i in 1 2; do N=$i; done\necho $N") == ["$N"]
    assert last("N=1\ncase $1 in a) N=2;; *) N=3;; esac\necho $N") == ["$N"]
    assert last("N=1\nf() { N=2; }\necho $N") == ["$N"]
    assert last('while [ $# -gt 0 ]; do case $1 in --n) N="$2"; shift;; esac; done\necho $N') == ["$N"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() { a $1 \"$2\" $3; }\nf x 'y z'", [["a", "x", "y z"]]),
        ("f() { a $1; }\nb", [["a", "$1"], ["b"]]),
        ("function f { a; }\nf\nf", [["a"], ["a"]]),
        ("g() { a $1; }\nf() { g $2; }\nf 1 2", [["a", "2"]]),
        ('f() { a "$@"; }\nf x y', [["a", "x", "y"]]),
        ('f() { a $1; }\nf "$@"', [["a", "$1"]]),
        ('f() { shift; a $1 "$@"; }\nf x y z', [["shift"], ["a", "y", "y", "z"]]),
        ("f() { N=$1; }\nf 3\na $N", [["a", "3"]]),
        ("N=1\nf() { local N=$1; a $N; }\nf 3\nb $N", [["local", "N=3"], ["a", "3"], ["b", "1"]]),
    ],
)
def test_a_function_is_what_its_calls_make_of_it(text, expected):
    assert run(text) == expected


def test_a_function_that_calls_itself_ends():
    assert run("f() { a; f; }\nf")[-1] == ["f"]


def test_where_a_function_is_called_counts():
    text = "f() { a & }\nfor i in 0 1; do f; done\nif x; then f; fi\nf &\n"
    in_loop, in_branch, behind = (command for command in commands(text) if command.words[0].text == "a")
    assert in_loop.loops == 1 and in_loop.background
    assert in_branch.branch and in_branch.conditional
    assert behind.background and not behind.loops


def test_circumstances():
    text = "for i in 0 1; do\n  a &\ndone\n(b; c) &\nif x; then d; else e; fi\nf | g\n"
    found = {command.words[0].text: command for command in commands(text)}
    assert found["a"].loops == 1 and found["a"].background
    assert found["b"].background and found["c"].background and not found["d"].background
    assert found["d"].branch != found["e"].branch
    assert dict(found["d"].branch).keys() == dict(found["e"].branch).keys()
    assert not found["f"].conditional and found["d"].conditional


def test_prefixed_and_exported_variables():
    (command,) = commands("export A=1\nB=2\nC=3 run x")[1:]
    assert [(name, word.text) for name, word in command.environment] == [("C", "3")]
    assert command.scope.exported == {"A"}


def test_lines_of_words_that_came_from_variables():
    text = 'CMD="run \\\n  --a 1 \\\n  --b 2"\nARGS=(\n  --c 3\n)\n$CMD "${ARGS[@]}" x\n'
    (command,) = commands(text)
    assert [(word.text, word.line) for word in command.words] == [
        ("run", 1), ("--a", 2), ("1", 2), ("--b", 3), ("2", 3), ("--c", 5), ("3", 5), ("x", 7),
    ]  # fmt: skip


def test_unknown_words_that_may_be_several():
    (command,) = commands('run $ARGS "$ARGS" x$ARGS "$@" "${A[@]}"')
    assert [word.spreads for word in command.words] == [False, True, False, False, True, True]


def test_fallbacks():
    def value(raw):
        return expand(raw, 1, Scope())[0].text

    assert fallback(value("${HOST:-localhost}")) == "localhost"
    assert fallback(value("$(scontrol show hostnames | head -n1 || echo localhost)")) == "localhost"
    assert fallback(value("`hostname || echo '127.0.0.1'`".replace("`", ""))) is None
    assert fallback(value("$HOST")) is None
    assert not known(value("a$HOST"))


def test_a_variable_that_doubles_itself_stays_small():
    text = "X=0123456789\n" + "X=$X$X\n" * 60 + "echo $X"
    assert all(len(word.text) <= 50_000 for command in commands(text) for word in command.words)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2*3+1", 7), ("(2 + 3) * 4", 20), ("7/2", 3), ("1/0", None), ("a", None), ("", None), ("2**9", None), ("08", 8)],
)
def test_arithmetic(text, value):
    assert arithmetic(text, Scope()) == value


def test_fields_are_not_cut_inside_unknown_parts():
    text = expand("x$(a b)y", 1, Scope())[0].text
    assert [shown(part) for part, _ in split_fields(f"p {text} q")] == ["p", "x$(a b)y", "q"]


PARTS = (
    "if then else elif fi for while do done case in esac { } ( ) & && || ; ;; | \n A=1 A=(1) A+=2 $A ${A[@]} $(x) \" ' "
    "torchrun --nnodes 2 x.py f() function ! [ ] <<EOF EOF $((A+1)) export"
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(PARTS.split(" "))))
def test_any_order_of_words_is_read_to_the_end(parts):
    with contextlib.suppress(ShellProblem):
        commands(" ".join(parts))


def test_words_are_plain():
    assert Word("a", 1).known and not Word("a", 1).spreads


def test_a_command_in_brackets_behind_one_word_is_no_function():
    found = commands("exec 3< <(ssh $host date &)\ntorchrun --nnodes=2 train.py\n")
    assert found[-1].names == ["torchrun", "--nnodes=2", "train.py"]
