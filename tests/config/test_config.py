"""Is the nearest configuration found, and is everything that means nothing refused with a hint?"""

from __future__ import annotations

import pytest

from dtlint import config
from dtlint.config import ConfigError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def test_nearest_upward_wins(project):
    write(project / "pyproject.toml", '[tool.dtlint]\nselect = ["DT1"]\n')
    write(project / "a" / "dtlint.toml", "strict = true\n")
    write(project / "a" / "b" / "x.py", "")
    write(project / "c" / "x.py", "")
    assert config.load(["a/b/x.py"]).strict
    assert config.load(["a/b/x.py"]).root == project / "a"
    assert config.load(["c"]).select == ("DT1",)
    assert config.load(["a", "c"]).select == ("DT1",)
    assert config.load(["c"], isolated=True).select == ()


def test_pyproject_of_others_is_passed_over_and_the_repository_is_the_limit(project):
    write(project / "dtlint.toml", "strict = true\n")
    write(project / "inner" / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert config.load(["inner"]).strict
    (project / "inner" / ".git").mkdir()
    assert not config.load(["inner"]).strict
    assert config.load(["inner"]).root == project / "inner"


def test_every_key_is_read(project):
    text = """
select = ["DT1"]
ignore = ["DT113"]
strict = true
exclude = ["gen/"]
force-exclude = true
world = "3x4"
fail-on = "error"
allow-incomplete = true
baseline = "known.json"
budget = 2
jobs = 3
cache-dir = "/tmp/x"
[per-file-ignores]
"tests/*" = ["DT114"]
[knowledge]
anything = { goes = 1 }
"""
    write(project / "dtlint.toml", text)
    found = config.load(["."])
    assert set(config.KEYS) == {line.split(" = ")[0] for line in text.split("[per")[0].split("\n") if line} | {
        "per-file-ignores",
        "knowledge",
    }
    assert found.hosts_and_ranks == (3, 4)
    assert (found.fail_on, found.budget, found.jobs, found.workers) == ("error", 2, 3, 3)
    assert found.per_file_ignores == {"tests/*": ("DT114",)}
    assert found.knowledge == {"anything": {"goes": 1}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('selct = ["DT1"]', "unknown key `selct`; did you mean `select`?"),
        ("fail_on = 'error'", "did you mean `fail-on`?"),
        ("zzzzzz = 1", "known keys: "),
        ("select = 'DT1'", "`select` must be a list of strings"),
        ("strict = 1", "`strict` must be true or false"),
        ("jobs = true", "`jobs` must be a whole number"),
        ("jobs = -1", "must not be negative"),
        ("world = '2'", "world must be HOSTSxRANKS"),
        ("world = '1x1'", "between 2 and 16 ranks"),
        ("world = '9x2'", "between 2 and 16 ranks"),
        ("fail-on = 'all'", "fail-on must be one of error, warning, note"),
        ("per-file-ignores = []", "must be a table"),
        ("per-file-ignores = { a = 'DT1' }", "must be a list of strings"),
        ("a = [", "not valid TOML"),
    ],
)
def test_what_means_nothing_is_an_error_with_the_file_in_it(project, text, said):
    write(project / "dtlint.toml", text)
    with pytest.raises(ConfigError) as caught:
        config.load(["."])
    assert said in str(caught.value)
    assert str(project / "dtlint.toml") in str(caught.value)


def test_a_file_that_is_not_text(project):
    (project / "dtlint.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not valid TOML"):
        config.load(["."])


def test_a_byte_order_mark_is_no_problem(project):
    (project / "dtlint.toml").write_bytes(b"\xef\xbb\xbfstrict = true\n")
    assert config.load(["."]).strict
