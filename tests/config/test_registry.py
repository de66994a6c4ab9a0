"""Do selectors mean what people expect, and is a misspelt one refused?"""

from __future__ import annotations

import pytest

from dtlint import registry
from dtlint.api import Rule
from dtlint.findings import Span
from dtlint.registry import UnknownRule


def rule(code, slug, tier="default"):
    return Rule(code, slug, "divergence", "hang", tier, "0.1.0", (), "title")


RULES = (
    rule("DT101", "rank-guarded-collective"),
    rule("DT102", "rank-dependent-exit"),
    rule("DT113", "crossed-groups", "strict"),
    rule("DT201", "unsharded-dataset"),
)


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ([], [], "DT101 DT102 DT113 DT201"),
        (["DT1"], [], "DT101 DT102 DT113"),
        (["dt101"], [], "DT101"),
        (["rank-dependent-exit", "DT2"], [], "DT102 DT201"),
        (["ALL"], ["DT1"], "DT201"),
        ([], ["rank-guarded-collective"], "DT102 DT113 DT201"),
        (["DT101"], ["DT1"], "DT101"),
        (["DT1"], ["DT101"], "DT102 DT113"),
        (["DT101"], ["DT101"], ""),
    ],
)
def test_the_most_exact_selector_wins(select, ignore, expected):
    assert " ".join(item.code for item in registry.chosen(RULES, select, ignore)) == expected


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("DT999", "no rule `DT999`"),
        ("rank-guarded-colective", "did you mean `rank-guarded-collective`?"),
        ("D101", "did you mean `DT101`?"),
        ("", "no rule ``"),
    ],
)
@pytest.mark.parametrize("where", ["select", "ignore"])
def test_a_selector_that_names_nothing(selector, said, where):
    select, ignore = ([selector], []) if where == "select" else ([], [selector])
    with pytest.raises(UnknownRule) as caught:
        registry.chosen(RULES, select, ignore)
    assert said in str(caught.value)


def test_one_rule_by_either_name():
    assert registry.one("dt101", RULES).slug == "rank-guarded-collective"
    assert registry.one("crossed-groups", RULES).code == "DT113"
    with pytest.raises(UnknownRule, match="3 rules"):
        registry.one("DT1", RULES)


def test_strict_findings_are_for_those_who_asked():
    span = Span("a.py", 1, 1, 1, 2)
    by_rule = RULES[2].finding(span, "message", "remedy")
    by_finding = RULES[0].finding(span, "message", "remedy", tier="strict")
    plain = RULES[0].finding(span, "message", "remedy")
    assert registry.reported(plain, RULES[0], (), strict=False)
    assert not registry.reported(by_rule, RULES[2], (), strict=False)
    assert not registry.reported(by_rule, RULES[2], ("DT1",), strict=False)
    assert registry.reported(by_rule, RULES[2], ("DT113",), strict=False)
    assert registry.reported(by_rule, RULES[2], (), strict=True)
    assert not registry.reported(by_finding, RULES[0], ("DT101",), strict=False)
    assert registry.reported(by_finding, RULES[0], (), strict=True)


def test_a_rule_file_is_loaded_by_path_and_must_keep_its_promise(tmp_path):
    text = '"""Words."""\nfrom dtlint.api import Rule\n'
    text += (
        'RULE = Rule("{code}", "own", "own", "hang", "default", "0.1.0", (), "own")\ndef check(run):\n    return []\n'
    )
    (tmp_path / "dt951_own.py").write_text(text.format(code="DT951"))
    (tmp_path / "helper.py").write_text("raise SystemExit")
    found = [item for item in registry.rules((tmp_path,)) if item.code == "DT951"]
    assert found[0].documentation == "Words."
    assert found[0].check is not None and list(found[0].check(None)) == []
    (tmp_path / "dt952_other.py").write_text(text.format(code="DT951"))
    registry.rules.cache_clear()
    with pytest.raises(ImportError, match="says its code is DT951"):
        registry.rules((tmp_path,))
    registry.rules.cache_clear()


@pytest.mark.parametrize("change", [{"effect": "bad"}, {"tier": "bad"}, {"severity": "bad"}])
def test_a_rule_with_a_value_out_of_the_vocabulary_cannot_be_made(change):
    names = ("code", "slug", "family", "effect", "tier", "since", "frameworks", "title")
    values = dict(zip(names, ("DT1", "x", "x", "hang", "default", "0", (), "x")))
    with pytest.raises(ValueError, match="bad"):
        Rule(**{**values, **change})


def test_severity_follows_the_effect_unless_said():
    span = Span("a.py", 1, 1, 1, 2)
    assert rule("DT101", "x").finding(span, "m", "r").severity == "error"
    assert rule("DT101", "x").finding(span, "m", "r", effect="race").severity == "warning"
    assert rule("DT101", "x").finding(span, "m", "r", effect="race", severity="note").severity == "note"
