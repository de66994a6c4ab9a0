"""Make the examples' lists say what dtlint finds now: `"known": "miss"` for a root cause it does not find, `noise` for
what it says about fixed programs. `python tests/examples/remark.py`; run it as often as you like."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import running


def main() -> None:
    for name in running.NAMES:
        example = running.load(name)
        found = {tier: running.lint(example.broken_program, *options) for tier, options in running.TIERS.items()}
        missed = 0
        for data, row in zip(example.data["findings"], example.expected, strict=True):
            data.pop("known", None)
            if not any(running.matches(row, finding, example.folder) for finding in found[row.tier]):
                data["known"] = "miss"
                missed += 1
        noise = [running.place_of(finding, example.folder) for finding in running.lint(example.fixed_files)]
        example.data.pop("noise", None)
        if noise:
            example.data["noise"] = noise
        write(example.folder / "expected.json", example.data)
        print(f"{name}: {len(example.expected) - missed} found, {missed} missed, {len(noise)} noise")


def write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
