"""`dtlint ready`: is this program ready for many processes?"""

from __future__ import annotations

import sys
from typing import Any

import click

from dtlint.cli import _options as options

EXIT = {"ready": 0, "not ready": 1, "cannot tell": 3}
# As in `dtlint.ready.items`, written out here so that `--help` need not import it.
TARGETS = ("torchrun", "slurm", "tpu-pod", "accelerate", "deepspeed", "k8s")


@click.command(
    "ready",
    short_help="Answer a check-list: is this ready for many processes?",
    epilog="Exit codes: 0 ready, 1 something critical, 2 usage or configuration, 3 cannot tell, 4 internal error.",
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--target", type=click.Choice(TARGETS), help="Where it is to run.  [default: as the launch files say]")
@click.option("--hosts", type=click.IntRange(1), help="How many processes read data, where no file says it.")
@click.option(
    "--output-format",
    "--format",
    "form",
    type=click.Choice(["full", "json", "markdown"]),
    default="full",
    show_default=True,
)
@options.analysis_options
@options.COLOR
@click.pass_context
def command(
    ctx: click.Context, paths: tuple[str, ...], target: str | None, hosts: int | None, form: str, **given: Any
) -> None:
    """Answer a check-list for PATHS or the current directory: what works, what is critical, what cannot be told.

    For a program named outright the launch files beside it are read too. Nothing is run.
    """
    from dtlint.ready import rendering
    from dtlint.ready.run import ready

    targets = paths or (".",)
    settings = options.configured(targets, given)
    result = ready(targets, settings, target, hosts, given["rule_dirs"])
    if form == "json":
        options.put(rendering.as_json(result))
    elif form == "markdown":
        options.put(rendering.markdown(result))
    else:
        look = options.look(sys.stdout, given["color"])
        options.put(rendering.full(result, rendering.Look(look.width, look.color, look.ascii)))
    ctx.exit(EXIT[result.verdict.value])
