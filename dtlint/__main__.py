"""How does `dtlint`, or `python -m dtlint`, start and end?"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line; whatever happens ends in one of the documented exit codes."""
    from dtlint.cli import commands

    try:
        commands.main(prog_name="dtlint", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as ending:
        _leave(ending.code if isinstance(ending.code, int) else 0 if ending.code is None else 4)
    except BrokenPipeError:
        # The reader has gone, as in `dtlint check | head`. Nothing may be written any more, not even at shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except KeyboardInterrupt:
        _leave(130)
    except Exception as problem:
        _leave(_explained(problem))


def _explained(problem: Exception) -> int:
    """Say what went wrong; a traceback only for what is our own fault."""
    import click

    from dtlint.config import ConfigError
    from dtlint.registry import UnknownRule

    if isinstance(problem, click.exceptions.Exit):
        return problem.exit_code
    if isinstance(problem, click.Abort):
        return 130
    if isinstance(problem, click.ClickException):
        problem.show()
        return problem.exit_code if problem.exit_code != 1 else 2
    if isinstance(problem, (ConfigError, UnknownRule)):
        print(f"dtlint: error: {problem}", file=sys.stderr)
        return 2
    import traceback

    traceback.print_exc()
    print("dtlint: internal error; this is a bug in dtlint, please report the lines above", file=sys.stderr)
    return 4


def _leave(code: int) -> None:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


if __name__ == "__main__":
    main()
