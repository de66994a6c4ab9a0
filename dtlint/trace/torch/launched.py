"""What does `python -m torch.distributed.launch` say to a script that asks for it? `--local_rank=N`, an argument."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

OPTIONS = ("--local_rank", "--local-rank")


def install(local_rank: int, tell: Callable[[dict[str, Any]], None]) -> None:
    original = argparse.ArgumentParser.parse_known_args

    def parse_known_args(self: argparse.ArgumentParser, args: Any = None, namespace: Any = None) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        asked = next((name for name in OPTIONS if name in self._option_string_actions), None)
        # a script that reads another list than its own command line was not handed the argument there
        if asked is not None and args is None and not any(one.partition("=")[0] in OPTIONS for one in given):
            given.insert(0, f"{asked}={local_rank}")
            if local_rank == 0:
                tell({"type": "notice", "text": f"{asked} was given to each rank, as torch.distributed.launch does"})
        return original(self, given, namespace)

    argparse.ArgumentParser.parse_known_args = parse_known_args  # type: ignore[method-assign]
