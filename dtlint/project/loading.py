"""How do many files become trees at once? Worker processes parse; compact bytes come back, decoded on demand."""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from dtlint.ir import nodes
from dtlint.ir.lowering import lower
from dtlint.ir.lowering_state import SyntaxProblem
from dtlint.ir.outline import functions_in
from dtlint.ir.positions import parse_ast
from dtlint.project import cache
from dtlint.source.tables import shortened

PARALLEL_BYTES = 500_000  # below this much source a pool of processes costs more than it saves
CHUNK_BYTES = 200_000  # of files of which only an outline is made
CRASHED = "the parser crashed"

_texts: Mapping[str, str] = {}  # what workers read: inherited through fork, never sent


@dataclass(frozen=True, slots=True)
class Job:
    """Paths to lower, or (`only_outline`) of which only the syntax and the functions in short are wanted."""

    paths: tuple[str, ...]
    only_outline: bool


Outcome = tuple[str, bytes]  # path, encoded tree, outline or problem


def load(
    texts: Mapping[str, str], lowered: Sequence[str], outlined: Sequence[str], jobs: int, tick: Callable[[int], None]
) -> Iterator[Outcome]:
    """Lower some files and outline others; `tick(n)` is called as files are done."""
    global _texts
    work = _plan(texts, lowered, outlined)
    _texts = texts
    try:
        total = sum(len(texts[path]) for path in lowered) + sum(len(texts[path]) for path in outlined) // 5
        if jobs > 1 and total > PARALLEL_BYTES and "fork" in multiprocessing.get_all_start_methods():
            outcomes = _in_processes(work, jobs)
        else:
            outcomes = map(_run, work)
        for outcome in outcomes:
            tick(len(outcome))
            yield from outcome
    finally:
        _texts = {}


def _plan(texts: Mapping[str, str], lowered: Sequence[str], outlined: Sequence[str]) -> list[Job]:
    """Largest first, so that no worker is left alone with a long file at the end."""
    work = [Job((path,), False) for path in sorted(lowered, key=lambda item: (-len(texts[item]), item))]
    group: list[str] = []
    size = 0
    for path in sorted(outlined):
        group.append(path)
        size += len(texts[path])
        if size > CHUNK_BYTES:
            work.append(Job(tuple(group), True))
            group, size = [], 0
    if group:
        work.append(Job(tuple(group), True))
    return work


def _run(job: Job) -> list[Outcome]:
    if job.only_outline:
        return [(path, _outlined(_texts[path], path)) for path in job.paths]
    return [(path, cache.encode(lowered(_texts[path], path))) for path in job.paths]


def lowered(text: str, path: str) -> nodes.Module | SyntaxProblem:
    try:
        return lower(shortened(text), path)
    except SyntaxProblem as problem:
        return problem


def _outlined(text: str, path: str) -> bytes:
    try:
        return cache.encode_outline(functions_in(parse_ast(shortened(text))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Newer syntax than this interpreter's, or really an error: libcst has the last word.
        return cache.encode(lowered(text, path))


def _in_processes(work: Sequence[Job], jobs: int) -> Iterator[list[Outcome]]:
    context = multiprocessing.get_context("fork")
    unfinished: list[Job] = []
    with warnings.catch_warnings():
        # Python 3.12 warns of forking beside threads; the workers touch nothing that a thread here may hold.
        warnings.simplefilter("ignore", DeprecationWarning)
        with ProcessPoolExecutor(min(jobs, len(work)), mp_context=context) as pool:
            waiting = {pool.submit(_run, job): job for job in work}
            for done in as_completed(waiting):
                try:
                    yield done.result()
                except BrokenProcessPool:
                    unfinished.append(waiting[done])
    for job in unfinished:
        yield from _one_by_one(job)


def _one_by_one(job: Job) -> Iterator[list[Outcome]]:
    """A worker died and took its pool with it: each file left gets a process of its own."""
    context = multiprocessing.get_context("fork")
    for path in job.paths:
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            try:
                yield pool.submit(_run, Job((path,), job.only_outline)).result()
            except BrokenProcessPool:
                yield [(path, cache.encode(SyntaxProblem(1, 1, CRASHED)))]
