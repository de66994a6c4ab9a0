"""`dtlint launch`: look at how programs are started."""

from __future__ import annotations

from typing import Any

import click

from dtlint.cli import _options as options
from dtlint.cli._outputs import FORMATS, outputs, tell, write
from dtlint.cli.check import CLEAN, exit_code
from dtlint.findings import SEVERITIES


@click.command(
    "launch",
    short_help="Check launch files: shell, Slurm, YAML, JSON.",
    epilog="Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 analysis incomplete, 4 internal error.",
)
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--output-format",
    "formats",
    multiple=True,
    metavar="FORMAT[=FILE]",
    help=f"One of {', '.join(FORMATS)}; may be given several times, with =FILE to write to a file.  [default: full]",
)
@options.analysis_options
@click.option("--list", "listing", is_flag=True, help="List what is started, how often and where, instead of checking.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), help="The least severity that fails.  [default: note]")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever was found.")
@click.option("--allow-incomplete", is_flag=True, default=None, help="Files that cannot be read are no failure.")
@click.option("--quiet", "-q", is_flag=True, help="Findings only: no summary, no notices.")
@options.COLOR
@click.pass_context
def command(ctx: click.Context, paths: tuple[str, ...], formats: tuple[str, ...], listing: bool, **given: Any) -> None:
    """Check launch files below PATHS or the current directory: shell, Slurm, YAML, JSON.

    torchrun, accelerate, deepspeed, srun, mpirun, gcloud tpu-vm ssh, PyTorchJob, TrainJob, JobSet and SkyPilot
    tasks are read; nothing is run.
    """
    from dtlint.cli._launching import check, listed

    wanted = outputs(formats)
    targets = paths or (".",)
    settings = options.configured(targets, given)
    if listing:
        options.put(listed(targets, settings))
        ctx.exit(CLEAN)
    report = check(targets, settings, tuple(given["rule_dirs"]))
    write(wanted, report, given)
    if not given["quiet"]:
        tell(wanted, report)
    ctx.exit(CLEAN if given["exit_zero"] else exit_code(report, settings))
