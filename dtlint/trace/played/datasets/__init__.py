"""A stand-in for Hugging Face's datasets, for machines without it: the same rows on every host.

Rows are read from JSON lines or text when the file is there. Otherwise they are made up: words for every column that is
asked for, small numbers for labels. The order of calls and what each host gets to see are as with the library.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dtlint.trace.made_up import ROWS, Row

STANDIN = True
__version__ = "3.0.0+standin"


class Columns(dict[str, Any]):
    """The rows of a batch, column by column, with every column that is asked for."""

    def __init__(self, rows: list[Any]) -> None:
        super().__init__({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})
        self.rows = rows

    def __missing__(self, column: str) -> list[Any]:
        return [row[column] for row in self.rows]


class ColumnNames(list[str]):
    """Every column is there that somebody asks for."""

    def __contains__(self, name: object) -> bool:
        return True


class Names:
    """What the library knows of a column of labels."""

    names = ("0", "1")
    num_classes = len(names)


class Features(dict[str, Any]):
    def __missing__(self, column: str) -> Any:
        return Names()


class Dataset:
    def __init__(self, rows: Callable[[], Iterable[Any]], tensors: bool = False) -> None:
        self._rows, self._tensors = rows, tensors
        self._kept: list[Any] | None = None  # once a row is asked for by its number
        self.column_names = ColumnNames(["text", "label"])
        self.features = Features()

    @classmethod
    def from_list(cls, rows: list[Any], **_: Any) -> Dataset:
        return cls(lambda: rows)

    @classmethod
    def from_dict(cls, columns: dict[str, list[Any]], **_: Any) -> Dataset:
        return cls(lambda: [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)])

    @classmethod
    def from_generator(cls, rows: Callable[..., Iterable[Any]], gen_kwargs: Any = None, **_: Any) -> Dataset:
        return cls(lambda: rows(**(gen_kwargs or {})))

    def __iter__(self) -> Iterator[Any]:
        return map(self._shown, self._rows() if self._kept is None else self._kept)

    def __len__(self) -> int:
        return len(self._all())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return [row[index] for row in self]
        if isinstance(index, slice):
            return Columns([self._shown(row) for row in self._all()[index]])
        return self._shown(self._all()[index])

    @property
    def num_rows(self) -> int:
        return len(self)

    def _all(self) -> list[Any]:
        if self._kept is None:
            self._kept = list(self._rows())
        return self._kept

    def _shown(self, row: Any) -> Any:
        if not self._tensors:
            return row
        import torch

        return {name: value if isinstance(value, str) else torch.as_tensor(value) for name, value in row.items()}

    def _with(self, rows: Callable[[], Iterable[Any]]) -> Dataset:
        return type(self)(rows, self._tensors)

    def map(
        self,
        function: Callable[..., Any] | None = None,
        with_indices: bool = False,
        batched: bool = False,
        batch_size: int | None = None,
        remove_columns: Any = (),
        fn_kwargs: Any = None,
        **_: Any,
    ) -> Dataset:
        if function is None:
            return self
        gone = (remove_columns,) if isinstance(remove_columns, str) else tuple(remove_columns or ())
        more = fn_kwargs or {}

        def of_one(number: int, row: Any) -> Any:
            return _changed(row, gone, function(row, *([number] if with_indices else []), **more))

        def of_many() -> Iterator[Any]:
            rows = list(self)
            size = batch_size or max(len(rows), 1)
            for first in range(0, len(rows), size):
                part = rows[first : first + size]
                numbers = [list(range(first, first + len(part)))] if with_indices else []
                made = function(Columns(part), *numbers, **more) or {}
                count = len(next(iter(made.values()), part))
                for place in range(count):  # of another number of rows nothing is kept of those that were there
                    one = {name: values[place] for name, values in made.items()}
                    yield _changed(part[place], gone, one) if count == len(part) else one

        return self._with(of_many if batched else lambda: (of_one(*pair) for pair in enumerate(self)))

    def filter(self, function: Callable[..., Any], *_: Any, **__: Any) -> Dataset:
        return self._with(lambda: (row for row in self if function(row)))

    def shuffle(self, seed: int | None = None, **_: Any) -> Dataset:
        def rows() -> list[Any]:
            found = list(self)
            (random.Random(seed) if seed is not None else random).shuffle(found)
            return found

        return self._with(rows)

    def shard(self, num_shards: int, index: int, **_: Any) -> Dataset:
        return self._with(lambda: (row for number, row in enumerate(self) if number % num_shards == index))

    def take(self, count: int) -> Dataset:
        return self._with(lambda: (row for number, row in enumerate(self) if number < count))

    def skip(self, count: int) -> Dataset:
        return self._with(lambda: (row for number, row in enumerate(self) if number >= count))

    def select(self, indices: Iterable[int]) -> Dataset:
        wanted = list(indices)
        return self._with(lambda: [list(self)[index] for index in wanted if index < len(self)])

    def train_test_split(self, test_size: float = 0.25, **_: Any) -> Parts:
        cut = int(len(self) * (1 - test_size)) if test_size < 1 else len(self) - int(test_size)
        return Parts({"train": self.take(cut), "test": self.skip(cut)})

    def remove_columns(self, names: Any) -> Dataset:
        gone = (names,) if isinstance(names, str) else tuple(names)
        return self._with(lambda: (_changed(row, gone, {}) for row in self))

    def rename_column(self, old: str, new: str) -> Dataset:
        return self._with(lambda: (_changed(row, (old,), {new: row[old]}) for row in self))

    def rename_columns(self, names: dict[str, str]) -> Dataset:
        return self._with(lambda: (_changed(row, names, {names[old]: row[old] for old in names}) for row in self))

    def add_column(self, name: str, values: Any) -> Dataset:
        return self._with(lambda: (_changed(row, (), {name: value}) for row, value in zip(self, values, strict=False)))

    def with_format(self, kind: str | None = None, *_: Any, **__: Any) -> Dataset:
        return type(self)(self._rows, kind == "torch")

    def set_format(self, type: str | None = None, *_: Any, **__: Any) -> None:
        self._tensors = type == "torch"

    def with_transform(self, function: Callable[[Any], Any], *_: Any, **__: Any) -> Dataset:
        """What the function gives for each row, and nothing else."""

        def rows() -> Iterator[Any]:
            for row in self:
                made = function(Columns([row]))
                yield {name: values[0] for name, values in made.items()}

        return self._with(rows)

    def set_transform(self, function: Callable[[Any], Any], *_: Any, **__: Any) -> None:
        self._rows, self._kept = self._with(self._rows).with_transform(function)._rows, None

    def save_to_disk(self, folder: str, *_: Any, **__: Any) -> None:
        os.makedirs(folder, exist_ok=True)

    def set_epoch(self, epoch: int) -> None: ...

    def _same(self, *_: Any, **__: Any) -> Dataset:
        return self

    cast_column = cast = sort = flatten_indices = to_iterable_dataset = _same


def _changed(row: Any, gone: Iterable[str], more: Any) -> Any:
    """The row without these columns and with others; what nobody has asked for is there still."""
    found = Row(row.number) if isinstance(row, Row) else {}
    found.update({name: value for name, value in row.items() if name not in gone})
    found.update(more or {})
    return found


class Parts(dict[str, Dataset]):
    """Every part by its name; what is done with all of them is done with each."""

    def __getattr__(self, name: str) -> Any:
        if not hasattr(Dataset, name):
            raise AttributeError(name)
        return lambda *given, **named: Parts({key: getattr(part, name)(*given, **named) for key, part in self.items()})


IterableDataset, DatasetDict = Dataset, Parts


def _read(path: str) -> Iterator[Any]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line) if path.endswith((".json", ".jsonl")) else {"text": line.rstrip("\n")}


def load_dataset(path: str, name: Any = None, *_: Any, split: Any = None, data_files: Any = None, **__: Any) -> Any:
    files = [data_files] if isinstance(data_files, str) else data_files if isinstance(data_files, list) else []

    def rows() -> Iterator[Any]:
        if files and all(os.path.exists(file) for file in files):
            for file in files:
                yield from _read(file)
        else:
            yield from map(Row, range(ROWS))

    if split is not None:
        return Dataset(rows)
    return Parts({part: Dataset(rows) for part in ("train", "validation", "test")})


load_from_disk = load_dataset


def interleave_datasets(parts: list[Dataset], *_: Any, **__: Any) -> Dataset:
    return Dataset(lambda: (row for part in parts for row in part))


concatenate_datasets = interleave_datasets
