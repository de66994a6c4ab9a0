"""Are words, operators and lines those that a shell would see?"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dtlint.launch.shell_words import ShellProblem, tokens


def words(text):
    return [(token.text, token.line) for token in tokens(text) if token.kind == "word"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b\tc", ["a", "b", "c"]),
        ("a 'b c' \"d e\"f", ["a", "'b c'", '"d e"f']),
        ("a \\\n  b", ["a", "b"]),
        ("a\\ b", ["a\\ b"]),
        ("a # b c\nd", ["a", "d"]),
        ("a#b", ["a#b"]),
        ("x=$(echo ')' | wc -l) y", ["x=$(echo ')' | wc -l)", "y"]),
        ('x="$(echo "a b")" y', ['x="$(echo "a b")"', "y"]),
        ("x=$((1 + (2*3))) y", ["x=$((1 + (2*3)))", "y"]),
        ("x=${A:-b c} y", ["x=${A:-b c}", "y"]),
        ("A=(1 2\n # three\n 3) b", ["A=(1 2\n # three\n 3)", "b"]),
        ("a>out 2>&1 b", ["a", "b"]),
        ("a &> log b", ["a", "b"]),
        ("a <<< 'text' b", ["a", "b"]),
        ("echo $'it\\'s' b", ["echo", "$'it\\'s'", "b"]),
        ("echo `date +%F` b", ["echo", "`date +%F`", "b"]),
        ("rm !(keep|this) x", ["rm", "!(keep|this)", "x"]),
        ("a\r\nb", ["a", "b"]),
    ],
)
def test_words(text, expected):
    assert [word for word, _ in words(text)] == expected


def test_lines_survive_continuations_and_quotes():
    assert words("a \\\n b\nc 'x\ny' d\n\ne") == [("a", 1), ("b", 2), ("c", 3), ("'x\ny'", 3), ("d", 4), ("e", 6)]


def test_operators():
    found = [token.text for token in tokens("a && b || c; d & e | f |& g ;; (h)") if token.kind == "operator"]
    assert found == ["&&", "||", ";", "&", "|", "|&", ";;", "(", ")"]


def test_a_dollar_at_the_end_of_a_quotation():
    found = list(tokens('for one in $(find "$dir" | grep -v "^$dir$"); do\n  echo "$one"\ndone'))
    assert [token.text for token in found if token.kind == "word"][-3:] == ["echo", '"$one"', "done"]


def test_here_documents():
    found = list(tokens("cat <<EOF > x\nhello $A\n  EOF\nEOF\nls <<-'END'\n\tquoted\n\tEND\npwd\n"))
    bodies = [(token.text, token.line, token.quoted) for token in found if token.kind == "heredoc"]
    assert bodies == [("hello $A\n  EOF\n", 2, False), ("\tquoted\n", 6, True)]
    assert [token.text for token in found if token.kind == "word"] == ["cat", "ls", "pwd"]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [("a\nb 'c", 2, "'"), ('a "b $(c', 1, "("), ("a\n\n`b", 3, "`"), ("A=(1 2", 1, "("), ("${a", 1, "{")],
)
def test_what_is_never_closed(text, line, what):
    with pytest.raises(ShellProblem) as caught:
        list(tokens(text))
    assert caught.value.line == line
    assert what in caught.value.message


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="a1 \n\t\\'\"$`(){}[]<>|&;#=-*@EOF\r"))
def test_any_text_ends_in_tokens_or_a_problem(text):
    try:
        found = list(tokens(text))
    except ShellProblem as problem:
        assert 1 <= problem.line <= text.count("\n") + 1
    else:
        assert all(1 <= token.line <= text.count("\n") + 1 for token in found)
