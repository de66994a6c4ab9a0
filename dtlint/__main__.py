"""How does `dtlint`, or `python -m dtlint`, start and end?"""

from __future__ import annotations

import gc
import sys

from dtlint.ir.stack import rarely_collected


def run() -> None:
    """A process of its own: what is left at its end is not looked through, nor taken apart, once more."""
    with rarely_collected():
        try:
            main()
        finally:
            gc.freeze()


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; whatever happens ends in one of the documented exit codes."""
    from dtlint.cli import commands

    try:
        code = commands.main(arguments, prog_name="dtlint", standalone_mode=False)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 4
    except KeyboardInterrupt:
        code = 130
    except Exception as problem:
        code = _explained(problem)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        from dtlint.report.terminal import nobody_reads

        code = nobody_reads()
    sys.exit(code if isinstance(code, int) else 0)


def _explained(problem: Exception) -> int:
    """Say what went wrong; a traceback only for what is our own fault."""
    import click

    from dtlint.mistakes import Mistake

    if isinstance(problem, click.Abort):
        return 130
    if isinstance(problem, click.ClickException):
        problem.show()
        return problem.exit_code if problem.exit_code != 1 else 2
    if isinstance(problem, Mistake):
        print(f"dtlint: error: {problem}", file=sys.stderr)
        return 2
    import traceback

    traceback.print_exc()
    print("dtlint: internal error; this is a bug in dtlint, please report the lines above", file=sys.stderr)
    return 4


if __name__ == "__main__":
    run()
