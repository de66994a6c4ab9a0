"""Finds where the ranks of a distributed training program part, before it hangs.

The way of the data, each room knowing only those before it:

    source      files                    ->  text
    ir          text                     ->  trees of small nodes
    project     files together           ->  who imports whom, what is worth running
    knowledge   rows about libraries     ->  what a name means
    machine     trees and knowledge      ->  what every rank would do: logs
    timeline    logs                     ->  answers: where ranks part, which rank sees which data, …
    rules       answers                  ->  findings, each with its words (they see `api` and nothing else)
    report      findings                 ->  text, SARIF, …

`engine` goes this way once for `dtlint check`. `launch` reads what starts programs, `trace` runs them, `ready` answers
a check-list out of all of it; `cli` has a file for each command.
"""

from __future__ import annotations

from pathlib import Path

__version__ = "0.1.0"


def rules_folder() -> Path:
    """Where the rules that came with dtlint are: in the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "rules"
    return inside if inside.is_dir() else package.parent / "rules"
