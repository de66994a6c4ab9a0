"""How do values travel between hosts? Trees of arrays as plain descriptions and raw bytes: nothing is unpickled."""

from __future__ import annotations

from typing import Any

total = 1


def global_devices() -> int:
    return total


def pack(value: Any) -> tuple[list[dict[str, Any]], bytes]:
    chunks: list[bytes] = []
    return [_describe(value, chunks)], b"".join(chunks)


def _describe(value: Any, chunks: list[bytes]) -> dict[str, Any]:
    import numpy as np

    match value:
        case None | bool() | int() | float() | str():
            return {"kind": "plain", "value": value}
        case dict():
            items = [[_describe(key, chunks), _describe(item, chunks)] for key, item in value.items()]
            return {"kind": "dict", "items": items}
        case tuple() | list():
            kind = "list" if isinstance(value, list) else "tuple"
            return {"kind": kind, "items": [_describe(item, chunks) for item in value]}
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError(f"a traced run cannot carry {type(value).__name__} between hosts")
    chunks.append(array.tobytes())
    return {"kind": "array", "dtype": array.dtype.str, "shape": list(array.shape), "size": array.nbytes}


def unpack(metas: list[dict[str, Any]], data: bytes | bytearray) -> list[Any]:
    """The value of every host."""
    values, start = [], 0
    for (description,), size in zip(metas[0]["parts"], metas[0]["sizes"], strict=True):
        values.append(_build(description, memoryview(data)[start : start + size], [0]))
        start += size
    return values


def _build(description: dict[str, Any], data: memoryview, cursor: list[int]) -> Any:
    import numpy as np

    match description["kind"]:
        case "plain":
            return description["value"]
        case "dict":
            return {_build(key, data, cursor): _build(item, data, cursor) for key, item in description["items"]}
        case "list" | "tuple" as kind:
            items = [_build(item, data, cursor) for item in description["items"]]
            return items if kind == "list" else tuple(items)
    start, cursor[0] = cursor[0], cursor[0] + description["size"]
    raw = bytes(data[start : cursor[0]])
    return np.frombuffer(raw, dtype=np.dtype(description["dtype"])).reshape(description["shape"]).copy()
