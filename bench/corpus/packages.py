"""Which published packages is dtlint measured on, and where do their sources lie?"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

PINS = Path(__file__).resolve().parent.parent / "corpus.txt"
DEFAULT_DIRECTORY = Path.home() / "corpus"
ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".zip", ".whl")


@dataclass(frozen=True, slots=True)
class Package:
    """One line of corpus.txt."""

    name: str
    version: str
    digest: str

    @property
    def label(self) -> str:
        return f"{self.name}-{self.version}"

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version} --hash=sha256:{self.digest}\n"


def pinned(pins: Path = PINS) -> tuple[Package, ...]:
    packages = []
    for line in pins.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        requirement, digest = line.split(" --hash=sha256:")
        name, version = requirement.strip().split("==")
        packages.append(Package(name, version, digest.strip()))
    return tuple(packages)


def sources_of(package: Package, directory: Path) -> Path:
    """The unpacked source tree of a package; downloads and unpacks it on first use."""
    target = directory / package.label
    if target.is_dir():
        return target
    archive = find_archive(package, directory / "archives")
    if archive is None:
        download(package, directory / "archives")
        archive = find_archive(package, directory / "archives")
    if archive is None:
        raise FileNotFoundError(f"pip did not deliver the pinned archive of {package.label}")
    partial = directory / f"{package.label}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    unpack(archive, partial)
    partial.rename(target)
    return target


def find_archive(package: Package, archives: Path) -> Path | None:
    """The archive with the pinned hash, whatever its file is called."""
    stem = package.name.replace("-", "_").lower()
    for path in sorted(archives.glob("*")):
        normal = path.name.replace("-", "_").lower()
        if not normal.startswith(stem) or not normal.endswith(ARCHIVE_SUFFIXES):
            continue
        if hashlib.sha256(path.read_bytes()).hexdigest() == package.digest:
            return path
    return None


def download(package: Package, archives: Path) -> None:
    """The hash selects sdist or wheel: pip takes no other file."""
    archives.mkdir(parents=True, exist_ok=True)
    requirements = archives / f"{package.label}.txt"
    requirements.write_text(package.requirement, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--requirement", str(requirements), "--dest", str(archives)]
    subprocess.run(command, check=True)
    requirements.unlink()


def unpack(archive: Path, target: Path) -> None:
    """Python files only, without the archive's top directory; nothing of them is ever executed."""
    target.mkdir(parents=True)
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as wheel:
            for name in sorted(wheel.namelist()):
                if name.endswith(".py"):
                    write_member(target, name, wheel.read(name))
        return
    with tarfile.open(archive) as sdist:
        for member in sdist.getmembers():
            if not member.isfile() or not member.name.endswith(".py"):
                continue
            stream = sdist.extractfile(member)
            if stream is not None:
                write_member(target, member.name.partition("/")[2], stream.read())


def write_member(target: Path, name: str, data: bytes) -> None:
    path = (target / name).resolve()
    if not path.is_relative_to(target.resolve()):
        raise ValueError(f"archive member outside of the target: {name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def count_lines(tree: Path) -> tuple[int, int]:
    """Python files and their lines."""
    files = sorted(tree.rglob("*.py"))
    return len(files), sum(path.read_bytes().count(b"\n") for path in files)
