"""How do launch files and manuals start this script? A traced run may take its arguments from one of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dtlint.launch import manual
from dtlint.launch.files import launch_files
from dtlint.launch.model import Launch
from dtlint.launch.project import Launches, load
from dtlint.launch.shell_values import Word, shown
from dtlint.mistakes import Mistake
from dtlint.source.text import Incomplete, SourceFile, read

OTHERWISE = re.compile(r"\$\{(\w+):?-([^{}]*)\}")  # `${NAME:-value}`
NAMED = 3  # of the places that start a script


def starts(script: str, places: Iterable[str]) -> list[Launch]:
    """The launches of these files and folders that start the script."""
    relative = os.path.relpath(os.path.realpath(script)).replace(os.sep, "/")
    near = [os.path.relpath(place) for place in places]
    manuals = [place for place in near if place.endswith(manual.SUFFIXES)]
    found = load(launch_files([place for place in near if place not in manuals]).files)
    for folder in filter(os.path.isdir, near):
        manuals += _manuals(script, folder)
    told = [launch for path in dict.fromkeys(manuals) for launch in manual.shown(path, _text(path))]
    all_of_them = Launches(launches=(*found.launches, *told))
    found_there = all_of_them.of_script(relative)
    return [one for one in found_there if one.kind != "tpu-vm scp" and not _another(one, script)]


def _another(launch: Launch, script: str) -> bool:
    """Is it a program of the same name that stands beside the launch file?"""
    beside = os.path.join(os.path.dirname(launch.path), launch.script or "")
    return not launch.is_module and os.path.isfile(beside) and not os.path.samefile(beside, script)


def _manuals(script: str, folder: str) -> list[str]:
    """Those in the folder itself, and beside the script."""
    places = dict.fromkeys(map(os.path.normpath, (folder, os.path.dirname(os.path.relpath(script)))))
    beside = [os.path.join(place, name) for place in places for name in sorted(os.listdir(place or "."))]
    return [
        os.path.normpath(path) for path in beside if path.lower().endswith(manual.SUFFIXES) and os.path.isfile(path)
    ]


def _text(path: str) -> str:
    source = read(SourceFile(path.replace(os.sep, "/"), Path(path)))
    return "" if isinstance(source, Incomplete) else source.text


def first(script: str, folder: str) -> Launch | None:
    """The start below the folder that gives the script arguments, best such as are known."""
    given = [launch for launch in starts(script, [folder]) if arguments(launch)]
    return min(given, key=lambda launch: len(unknown(launch)), default=None)


def chosen(script: str, place: str) -> Launch:
    """The start of `FILE` or `FILE:LINE`."""
    file, colon, number = place.rpartition(":")
    line = int(number) if colon and number.isdigit() else 0
    file = file if line else place
    if not Path(file).is_file():
        raise Mistake(f"no such file: {file}")
    found = starts(script, [file])
    wanted = [launch for launch in found if not line or launch.line == line]
    if not wanted:
        where = f"line {line} of {file}" if found else file
        raise Mistake(f"{where} does not start {script}{_instead(found)}")
    if len({arguments(launch) for launch in wanted}) > 1:
        raise Mistake(f"{file} starts {script} in several ways{_instead(wanted)}")
    return wanted[0]


def _instead(found: list[Launch]) -> str:
    lines = sorted({launch.line for launch in found})
    return f"; it does in line {', '.join(map(str, lines))}" if lines else ""


def arguments(launch: Launch) -> tuple[str, ...]:
    """What the script is given there. A word that may stand for any number of others, or for none, is left out."""
    given: list[str] = []
    for word in launch.words:
        text = _read(word)
        given += [text] if not word.spreads else [] if "$" in text else text.split()
    return tuple(given)


def as_there(launch: Launch) -> dict[str, Any]:
    """What a traced run takes from it (`Job`)."""
    set_there = tuple(sorted(environment(launch).items()))
    return {"arguments": arguments(launch), "environment": set_there, "module": launch.is_module}


def _read(word: Word) -> str:
    """The word as a shell with this environment would read it, as far as that is known."""
    text = OTHERWISE.sub(lambda match: os.environ.get(match[1]) or match[2], shown(word.text))
    return os.path.expandvars(text)


def environment(launch: Launch) -> dict[str, str]:
    """The variables that are set for it to a known value, under the names that they have there."""
    return {
        name: item.value for name, item in launch.environment.items() if item.value and shown(item.value) == item.value
    }


def unknown(launch: Launch) -> list[str]:
    """The words of which only the shell that runs the file would know the value."""
    return [shown(word.text) for word in launch.words if not word.known and "$" in _read(word)]


def hint(script: str, folder: str) -> str | None:
    """A word on the launch files that give the script arguments, where none were given."""
    found = [launch for launch in starts(script, [folder]) if arguments(launch)]
    places = list(dict.fromkeys(f"{launch.path}:{launch.line}" for launch in found))
    if not places:
        return None
    more = f" and {len(places) - NAMED} more" if len(places) > NAMED else ""
    return f"started with arguments in {', '.join(places[:NAMED])}{more}: `--like {places[0]}` takes them from there"
