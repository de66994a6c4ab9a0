"""Is a program that is written differently, and means the same, judged the same?"""

from __future__ import annotations

import ast
import contextlib
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config
from tests.fixture_marks import files_of, fixtures, is_strict, marks
from tests.rewriting import REWRITINGS, needed_names, rewritten

FOLDER = Path(__file__).parent / "fixtures"
CODES = sorted(folder.name for folder in FOLDER.iterdir() if folder.is_dir())
DEEP = "one call more is deeper than functions are followed"
NAMED = "who asks `if held_1` may not have the rank in mind"
DECORATED = "that a decorator asks for the rank is seen in itself, or by the name of what it calls"
AROUND = "a short helper that makes a set or an optimizer is followed, and one around it is not"
BATCH = "which number is the size of a whole batch is told by its name"
SETTINGS = "a file of settings names the class, and keeps the name"
# Programs that are judged otherwise when they are rewritten, and why
KNOWN = {
    ("named questions", "DT412/gfile_under_rank.py"): NAMED,
    ("other names", "DT702/writer_nobody_knows_ok.py"): "that a thing of another package asks for the rank is its name",
    ("other names", "DT702/rows_by_name_ok.py"): "that callers hand over a device is said by the name of the parameter",
    ("named questions", "DT412/others_return.py"): NAMED,
    (
        "named questions",
        "DT702/flag_of_one_script",
    ): "an `or` with a name stands for its side that asks for the rank",
    ("named questions", "DT102/lead_of_a_node_gives_up.py"): NAMED,
    ("named questions", "DT412/last_of_two_conditions"): "a function in an `and` outside a question may be a choice",
    (
        "turned branches",
        "DT111/changed_after_it_was_sent.py",
    ): "what is received counts for what the root holds by then",
    ("other names", "DT101/made_by_hydra"): SETTINGS,
    ("other names", "DT102/named_in_settings"): SETTINGS,
    ("other names", "DT102/named_in_settings_ok"): SETTINGS,
    ("one more call", "DT101/group_put_into_its_module.py"): DEEP,
    ("other names", "DT101/found_among_all_names"): "what is found by its name among all names keeps the name",
    (
        "other names",
        "DT114/accelerator_put_into_its_module",
    ): "an argument of a function nobody calls is an accelerator by its name",
    ("one more call", "DT106/nothing_where_this_rank_failed.py"): DEEP,
    ("one more call", "DT114/options_before_the_group_ok.py"): DEEP,
    ("one more call", "DT106/helper_called_in_turns.py"): "nobody is run for a loop two calls above the one who meets",
    ("one more call", "DT204/loader_and_turns_in_two_helpers.py"): DEEP,
    ("one more call", "DT207/authors_of_a_file"): AROUND,
    ("one more call", "DT501/devices_of_a_helper"): DEEP,
    ("one more call", "DT503/one_of_two_prepared.py"): AROUND,
    ("one more call", "DT503/older_groups_of_a_function.py"): AROUND,
    ("one more call", "DT702/saved_in_the_background.py"): DEEP,
    ("turned branches", "DT412/first_gpu_is_the_cpu.py"): "who asks `if not index` may mean the first one",
    ("one more call", "DT516/forgotten_cleanup"): "what a forgotten function calls counts as called",
    ("one more call", "DT702/written_and_forgotten_ok.py"): "what a forgotten function calls counts as called",
    ("one more call", "DT702/forgotten_beside_another_ok"): "what a forgotten function calls counts as called",
    ("other names", "DT501/numbered_by_another_file_ok"): "the rank that another file begins with is known by its name",
    ("other names", "DT209/accumulation_steps.py"): BATCH,
    ("other names", "DT209/all_that_one_gpu_takes.py"): BATCH,
    ("other names", "DT209/part_of_a_device_in_a_pipeline.py"): BATCH,
    ("other names", "DT209/default_of_a_parameter"): BATCH,
    ("other names", "DT209/total_cut_to_the_length.py"): BATCH,
    ("other names", "DT209/steps_of_a_loop.py"): BATCH,
    ("other names", "DT209/steps_of_a_trainer.py"): BATCH,
    ("other names", "DT209/host_share_missing"): BATCH,
    ("other names", "DT209/part_of_a_host"): BATCH,
    ("other names", "DT302/initializer_draws_twice.py"): "an argument of a function nobody calls is a key by its name",
    ("other names", "DT302/tried_beside_what_is_tried_ok.py"): "a function tries something by its name",
    ("other names", "DT407/local_count_for_global_batch"): BATCH,
    ("other names", "DT407/size_for_the_loader.py"): BATCH,
    ("other names", "DT412/truthy_rank_means_main"): "`if rank:` is a mistake where the name means a rank",
    ("one more call", "DT209/asked_of_all_ranks.py"): DEEP,
    ("one more call", "DT111/counter_behind_a_function.py"): "a global that a helper of a helper counts",
    ("one more call", "DT302/a_round_calls_two_that_draw.py"): DEEP,
    ("one more call", "DT302/carry_of_a_scan_was_spent.py"): DEEP,
    (
        "one more call",
        "DT302/validated_by_one_key_ok.py",
    ): "a part of a tuple is followed out of the function that makes the tuple, and not of one around it",
    ("other names", "DT407/count_with_a_name.py"): BATCH,
    (
        "turned branches",
        "DT210/cut_and_sampled_by_option.py",
    ): "of two data sets that a branch leaves the one of its first side is taken",
    (
        "turned branches",
        "DT705/folder_of_the_resumed_file_ok.py",
    ): "of two folders that a branch leaves the one of its first side is taken",
    ("one more call", "DT302/generator_of_a_module"): DEEP,
    ("one more call", "DT511/values_of_a_batch.py"): DEEP,
    ("one more call", "DT602/copy_of_a_preset.py"): DEEP,
    ("one more call", "DT701/settings_checked_first.py"): DEEP,
    ("one more call", "DT701/validated_by_fabric.py"): DEEP,
    ("one more call", "DT702/items_of_a_generator.py"): DEEP,
    ("one more call", "DT703/writer_of_who_asks.py"): DECORATED,
    ("other names", "DT703/writer_of_who_asks.py"): DECORATED,
}


@pytest.mark.slow
@pytest.mark.parametrize("code", CODES)
def test_judged_the_same(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rewritings at once; only where that changes something, one by one. What several of them together make too
    deep to follow is no difference."""
    differing = set()
    for project in fixtures(FOLDER):
        name = project.relative_to(FOLDER).as_posix()
        if project.parent.name != code or not any(path.suffix == ".py" for path in files_of(project)):
            continue

        def changes(*ways: str, project: Path = project, name: str = name) -> bool:
            copy = tmp_path / "-".join(ways) / name
            write(project, copy, ways)
            return said_of(copy, is_strict(project), monkeypatch) != expected_of(project)

        known = [how for how in REWRITINGS if (how, name) in KNOWN]
        others = [how for how in REWRITINGS if how not in known]
        differing |= {(how, name) for how in known if changes(how)}
        if changes(*others):
            differing |= {(how, name) for how in others if changes(how)}
    assert differing == {(how, name) for how, name in KNOWN if name.startswith(f"{code}/")}


def write(project: Path, copy: Path, ways: Iterable[str]) -> None:
    """The same project with its Python files rewritten in these ways, one after the other."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if project.is_file():
        shutil.copyfile(project, copy)
    else:
        shutil.copytree(project, copy)
    for how in ways:
        trees = {}
        for path in files_of(copy):
            if path.suffix == ".py":
                with contextlib.suppress(SyntaxError):  # of another Python
                    trees[path] = ast.parse(path.read_text(encoding="utf-8"))
        needed = needed_names(trees.values())
        for path, tree in trees.items():
            path.write_text(rewritten(tree, how, needed), encoding="utf-8")


def expected_of(project: Path) -> Counter[tuple[str, str]]:
    """What the marks say; that the project itself is judged so, test_fixtures asserts."""
    return counted((mark.code, mark.path, mark.line) for mark in marks(project) if mark.kind != "miss")


def said_of(project: Path, strict: bool, monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    monkeypatch.chdir(project.parent if project.is_file() else project)
    target = project.name if project.is_file() else "."
    findings = engine.check([target], Config(strict=strict, cache=False, jobs=1)).findings
    return counted((item.code, item.span.path, item.span.line) for item in findings)


def counted(places: Iterable[tuple[str, str, int]]) -> Counter[tuple[str, str]]:
    """How many lines of a file are found under a code: lines themselves move when a program is written anew."""
    return Counter((code, path) for code, path, _ in set(places))
