"""Options of the whole suite: renewing golden files, and refusing a green run that skipped the frameworks."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

FRAMEWORKS = ("torch", "jax")

# How fast an example runs says how busy the machine is, and is no property of what is tested.
settings.register_profile("dtlint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("dtlint")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what is rendered now into the golden files")
    parser.addoption("--require-frameworks", action="store_true", help="fail when torch or jax is not installed")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--require-frameworks"):
        missing = [name for name in FRAMEWORKS if importlib.util.find_spec(name) is None]
        if missing:
            raise pytest.UsageError(f"tests would be skipped: {', '.join(missing)} not installed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Real ranks that really meet or really hang may come too late on a busy machine: they get one more chance.

    No other test does: of those, one that sometimes fails is a defect.
    """
    if config.pluginmanager.hasplugin("rerunfailures"):
        for item in items:
            if item.get_closest_marker("slow") or item.get_closest_marker("trace"):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Compare text with a file beside the test, or write the file with `--update-golden`."""

    def compare(name: str, text: str) -> None:
        path = Path(request.path).parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.is_file(), f"{path} is missing: run pytest --update-golden and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare
