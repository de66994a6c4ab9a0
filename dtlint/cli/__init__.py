"""Which commands are there? Every file in this directory that is not private is one, and is read when it is called.

A command file has a click command called `command`; `list_collectives.py` is called as `dtlint list-collectives`.
"""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from dtlint import __version__


class CommandsByFile(click.Group):
    """A group that imports only the command that is asked for: start-up time is part of every run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        files = Path(__file__).parent.glob("*.py")
        return sorted(path.stem.replace("_", "-") for path in files if not path.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = cmd_name.replace("-", "_")
        if not name.isidentifier() or name.startswith("_") or not (Path(__file__).parent / f"{name}.py").is_file():
            return None
        command: click.Command = importlib.import_module(f"dtlint.cli.{name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            hint = f" Did you mean `{near[0]}`?" if near else f" To check a path: dtlint check {args[0]}"
            raise click.UsageError(f"no command `{args[0]}`.{hint}", ctx) from None


@click.group(cls=CommandsByFile, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dtlint")
def commands() -> None:
    """Find where the ranks of a distributed training program part, before it hangs."""
