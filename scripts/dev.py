"""How does a fresh machine with nothing but a Python get from a checkout to a demo, or to a full test run?

Standard library only. Environments are made beside the checkout's files and are reused until what they were made from
changes. Set DTLINT_TORCH=skip to test without torch.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 10)
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
# Nothing waits for ever: seconds for one test, and for all of them. Which tests get a second chance: tests/conftest.py.
# A worker that is done takes over what waits for another: some tests take a thousand times as long as others
LIMITS = ["--timeout", "600", "--session-timeout", "4200", "--dist", "worksteal"]
FRAMEWORKS = ROOT / "tests" / "frameworks.txt"


def main(arguments: list[str]) -> int:
    tasks = {"demo": demo, "test": test, "static": static, "lint": lint, "clean": clean}
    name = arguments[0] if arguments else ""
    if name not in tasks:
        print(f"usage: python3 scripts/dev.py {' | '.join(tasks)} [ARGUMENTS of pytest]", file=sys.stderr)
        return 2
    restart_in_new_enough_python()
    return tasks[name](arguments[1:])


def restart_in_new_enough_python() -> None:
    if sys.version_info >= OLDEST:
        return
    for minor in range(14, 9, -1):
        found = shutil.which(f"python3.{minor}")
        works = found and subprocess.run([found, "-c", "import venv"], stderr=subprocess.DEVNULL).returncode == 0
        if found and works:
            os.execv(found, [found, *sys.argv])
    sys.exit(f"dtlint needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]}")


def demo(arguments: list[str]) -> int:
    """Exit code 1 means "findings", and finding something is what a demo is for."""
    python = environment(".venv", [["-e", "."]])
    code = call([python, "-m", "dtlint", "check", "examples", *arguments], check=False)
    print("\nThe broken examples have findings, their fixed twins have none. One rule, explained: dtlint explain DT101")
    print(f"Your own code: {Path(python).parent / 'dtlint'} check PATH")
    return 0 if code in (0, 1) else code


def test(arguments: list[str]) -> int:
    python = environment(".venv-test", [["-e", ".[test]"]], frameworks=True)
    required = [] if os.environ.get("DTLINT_TORCH") == "skip" else ["--require-frameworks"]
    return call([python, "-m", "pytest", "-m", "", "-n", "auto", *LIMITS, *required, *arguments], check=False)


def static(arguments: list[str]) -> int:
    python = environment(".venv-static", [["-e", ".[test]"]])
    return call([python, "-m", "pytest", "-n", "auto", *arguments], check=False)


def lint(arguments: list[str]) -> int:
    have = ROOT / ".venv-test"
    python = interpreter(have) if have.is_dir() else environment(".venv-static", [["-e", ".[test]"]])
    commands = [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"]]
    return max(call([python, "-m", *command], check=False) for command in commands)


def clean(arguments: list[str]) -> int:
    names = (".venv", ".venv-test", ".venv-static", ".dtlint_cache", ".mypy_cache", ".ruff_cache", ".pytest_cache")
    for name in (*names, "dist", "build"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
    return 0


def environment(name: str, installs: list[list[str]], frameworks: bool = False) -> str:
    """The Python of a virtual environment with these installed, made anew when its recipe has changed."""
    folder = ROOT / name
    recipe = hashlib.sha256(repr((sys.version, installs, frameworks, os.environ.get("DTLINT_TORCH"))).encode())
    for path in (ROOT / "pyproject.toml", FRAMEWORKS, Path(__file__)):
        recipe.update(path.read_bytes() if path.is_file() else b"")
    stamp = folder / "dtlint-recipe"
    python = interpreter(folder)
    if stamp.is_file() and stamp.read_text() == recipe.hexdigest() and Path(python).exists():
        return python
    print(f"making {name} with Python {sys.version.split()[0]}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    if call([sys.executable, "-m", "venv", str(folder)], check=False):
        sys.exit("python -m venv does not work here; on Debian and Ubuntu: apt-get install python3-venv")
    if frameworks:
        install_frameworks(python)
    for install in installs:
        pip(python, *install)
    stamp.write_text(recipe.hexdigest())
    return python


def interpreter(folder: Path) -> str:
    return str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def install_frameworks(python: str) -> None:
    """torch first and alone: together with other indexes pip may prefer the 3 GB build for GPUs."""
    if os.environ.get("DTLINT_TORCH") != "skip":
        from_cpu_index = ["--index-url", CPU_INDEX]
        choice = [] if pip_is_configured(python) or sys.platform == "darwin" else from_cpu_index
        if call([python, "-m", "pip", "install", "--quiet", TORCH, *choice], check=False):
            print("no CPU build of torch there; taking the default one, up to 3 GB (DTLINT_TORCH=skip does without)")
            pip(python, TORCH)
    constraints = ROOT / ".venv-test" / "constraints.txt"
    constraints.write_text(TORCH + "\n")
    pip(python, "-r", str(FRAMEWORKS), "-c", str(constraints))


def pip_is_configured(python: str) -> bool:
    """Has the owner of this machine said where packages come from? Then that is where torch comes from."""
    listed = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    return any(word in listed for word in ("index-url", "find-links", "no-index"))


def pip(python: str, *arguments: str) -> None:
    call([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments], check=True)


def call(command: list[str], check: bool) -> int:
    print("+ " + " ".join(command), flush=True)
    code = subprocess.run(command, cwd=ROOT).returncode
    if check and code:
        sys.exit(code)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
