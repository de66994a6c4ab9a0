"""How is the tree of one commit laid out on disk, without a work tree and without running anything of it?"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

WHOLE_REPOSITORY_LIMIT = 1500  # Python files; above it the sub-tree around the path is checked
BESIDE = (".sh", ".bash", ".sbatch", ".slurm", ".yaml", ".yml", ".json", ".toml", ".md", ".rst")  # how it is started


class NoSnapshot(Exception):
    """The repository, the commit or the file is not there."""


@dataclass(frozen=True, slots=True)
class Exported:
    files: int
    scope: str  # directory that was exported, "." for the whole repository


def git_directory(mirror: Path, repo: str) -> Path:
    """`owner+name` or `owner/name`, bare or with a work tree, directly or one level down."""
    plus = repo.replace("/", "+")
    for name in (plus, plus + ".git", repo, repo + ".git"):
        for tail in ("", ".git", "repo", "repo/.git"):
            candidate = mirror / name / tail
            if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
                return candidate
    raise NoSnapshot(f"no repository {plus} in the mirror")


def repository_of(mirror: Path, repo: str, may_clone: bool) -> Path:
    """The repository in the mirror, brought there when the user asked for it."""
    try:
        return git_directory(mirror, repo)
    except NoSnapshot:
        if not may_clone:
            raise
        return clone(mirror, repo)


def clone(mirror: Path, repo: str) -> Path:
    """A bare clone from GitHub, only when the user asked for it."""
    target = mirror / repo.replace("/", "+")
    url = f"https://github.com/{repo}.git"
    done = subprocess.run(["git", "clone", "--quiet", "--bare", url, str(target)], capture_output=True, text=True)
    if done.returncode:
        raise NoSnapshot(f"clone failed: {done.stderr.strip()[-200:]}")
    return target


def git(directory: Path, *arguments: str, given: bytes | None = None) -> bytes:
    done = subprocess.run(
        ["git", "--git-dir", str(directory), "-c", "core.quotePath=false", *arguments], input=given, capture_output=True
    )
    if done.returncode:
        raise NoSnapshot(done.stderr.decode("utf-8", "replace").strip()[-200:])
    return done.stdout


def files_of(directory: Path, commit: str, endings: tuple[str, ...] = (".py",)) -> dict[str, str]:
    """Path → object id of every file of the commit with these endings (regular files only)."""
    found = {}
    for entry in git(directory, "ls-tree", "-r", "-z", commit).split(b"\0"):
        if not entry:
            continue
        header, _, raw_path = entry.partition(b"\t")
        mode, _, object_id = header.decode().split()[:3]
        path = raw_path.decode("utf-8", "replace")
        if path.endswith(endings) and mode in ("100644", "100755"):
            found[path] = object_id
    return found


def scope_of(paths: list[str], path: str, limit: int = WHOLE_REPOSITORY_LIMIT) -> str:
    """The largest directory around `path` with at most `limit` Python files."""
    if len(paths) <= limit:
        return "."
    parents = [str(parent) for parent in PurePosixPath(path).parents if str(parent) != "."]
    for parent in reversed(parents):
        if sum(one.startswith(parent + "/") for one in paths) <= limit:
            return parent
    return parents[0] if parents else "."


def export(directory: Path, commit: str, path: str, context: tuple[str, ...], target: Path) -> Exported:
    """Write the Python files around `path`, what says how they are started, and the context files, below `target`."""
    files = files_of(directory, commit)
    if path not in files:
        raise NoSnapshot(f"{path} is not in {commit[:12]}")
    scope = scope_of(list(files), path)
    wanted = {one for one in files if scope == "." or one.startswith(scope + "/")}
    wanted |= {one for one in context if one in files}
    written = write({one: files[one] for one in sorted(wanted)}, directory, target)
    beside = files_of(directory, commit, BESIDE)
    others = sorted(one for one in beside if scope == "." or one.startswith(scope + "/"))
    write({one: beside[one] for one in others}, directory, target)
    if not (target / path).is_file():
        raise NoSnapshot(f"the content of {path} is missing at {commit[:12]}")
    return Exported(written, scope)


def export_whole(directory: Path, commit: str, endings: tuple[str, ...], target: Path) -> int:
    """Write every file of the commit with these endings below `target`; how many?"""
    files = files_of(directory, commit, endings)
    written = write(files, directory, target)
    if files and not written:
        raise NoSnapshot(f"the files of {commit[:12]} are missing")
    return written


def write(files: dict[str, str], directory: Path, target: Path) -> int:
    """Split the output of `git cat-file --batch`; objects that are missing are left out."""
    answer = git(directory, "cat-file", "--batch", given="".join(f"{one}\n" for one in files.values()).encode())
    position = written = 0
    for path in files:
        end = answer.index(b"\n", position)
        header = answer[position:end].split()
        position = end + 1
        if header[1] == b"missing":
            continue
        size = int(header[2])
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(answer[position : position + size])
        position += size + 1
        written += 1
    return written
