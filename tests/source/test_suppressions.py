"""Which comments silence which findings?"""

from __future__ import annotations

import pytest

from dtlint.source.suppressions import suppressions


def test_on_the_line() -> None:
    (found,) = suppressions("a()\nb()  # noqa  # dtlint: ignore[DT101, guarded-thing] -- all get here\n").found
    assert (found.line, found.column, found.target) == (2, 14, 2)
    assert (found.codes, found.reason) == (("DT101", "guarded-thing"), "all get here")
    assert found.covers(2, "DT101") and found.covers(2, "DT999", "guarded-thing")
    assert not found.covers(1, "DT101") and not found.covers(2, "DT102", "other")


def test_alone_on_its_line_it_speaks_for_the_next_code() -> None:
    (found,) = suppressions("    # dtlint: ignore[DT101]\n\n    # why\n    f()\n").found
    assert found.target == 4


def test_file_level() -> None:
    both = suppressions("f()  # dtlint: ignore[DT102]\n# dtlint: ignore-file[DT1] -- generated\n")
    assert both.find(77, "DT101").reason == "generated"
    assert both.find(1, "DT102").target == 1
    assert both.find(1, "DT201") is None


def test_without_codes_all_are_meant() -> None:
    (found,) = suppressions("f() # dtlint: ignore\n").found
    assert found.covers(1, "DT412")


@pytest.mark.parametrize(
    "text",
    ["x = '# dtlint: ignore'\n", '"""\n# dtlint: ignore-file\n"""\n', "f()  # ignore\n", "f()  # dtlint is silent\n"],
)
def test_only_comments_count(text: str) -> None:
    assert suppressions(text).found == ()


def test_a_family_is_not_any_prefix() -> None:
    (found,) = suppressions("f() # dtlint: ignore[DT10]\n").found
    assert found.covers(1, "DT101") and not found.covers(1, "DT112")
    (exact,) = suppressions("f() # dtlint: ignore[DT101]\n").found
    assert not exact.covers(1, "DT1012")


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# dtlint: ignore[DT101", "not closed"),
        ("# dtlint: ignore[]", "empty"),
        ("# dtlint: ignroe[DT101]", "unknown directive `ignroe`"),
        ("# dtlint: ignore[DT101] because", "behind `--`"),
        ("# dtlint ignore[DT101]", "a colon is missing"),
    ],
)
def test_malformed(comment: str, words: str) -> None:
    result = suppressions(f"f()  {comment}\n")
    assert result.found == ()
    assert (result.malformed[0].line, result.malformed[0].column) == (1, 6)
    assert words in result.malformed[0].reason


def test_a_file_that_cannot_be_tokenized_still_asks() -> None:
    assert suppressions("x = (\nf()  # dtlint: ignore[DT101]\n").found[0].target == 2
