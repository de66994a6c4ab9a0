"""What does a complete collective return to each rank? Real arithmetic on the tensors that the ranks sent."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from dtlint.trace.agreement import Call

Meta = dict[str, Any]
SMALL_FLOATS = (torch.float16, torch.bfloat16)


def pack(tensors: list[torch.Tensor]) -> tuple[list[Meta], bytes]:
    """Tensors as descriptions and bytes."""
    metas, parts = [], []
    for tensor in tensors:
        plain = tensor.detach().contiguous()
        size = plain.numel() * plain.element_size()
        metas.append({"dtype": str(plain.dtype).removeprefix("torch."), "shape": list(plain.shape), "bytes": size})
        parts.append(ctypes.string_at(plain.data_ptr(), size) if size else b"")
    return metas, b"".join(parts)


def unpack(metas: list[Meta], payload: bytes | bytearray) -> list[torch.Tensor]:
    tensors, position = [], 0
    data = payload if isinstance(payload, bytearray) else bytearray(payload)
    for meta in metas:
        dtype, size = getattr(torch, meta["dtype"]), int(meta["bytes"])
        if size:
            count = size // torch.empty((), dtype=dtype).element_size()
            flat = torch.frombuffer(data, dtype=dtype, offset=position, count=count)
        else:
            flat = torch.empty(0, dtype=dtype)
        tensors.append(flat.reshape(meta["shape"]))
        position += size
    return tensors


def reduce(tensors: list[torch.Tensor], how: str) -> torch.Tensor:
    dtype = tensors[0].dtype
    # sums of float8 and of halves are made in float32, as the real backends do
    wide = tensors[0].is_floating_point() and (dtype in SMALL_FLOATS or tensors[0].element_size() == 1)
    total = tensors[0].float() if wide else tensors[0].clone()
    for tensor in tensors[1:]:
        other = tensor.float() if wide else tensor
        match how:
            case "SUM" | "AVG" | "PREMUL_SUM":
                total = total + other
            case "PRODUCT":
                total = total * other
            case "MIN":
                total = torch.minimum(total, other)
            case "MAX":
                total = torch.maximum(total, other)
            case "BAND":
                total = total & other
            case "BOR":
                total = total | other
            case "BXOR":
                total = total ^ other
            case _:
                raise ValueError(f"reduction {how}")
    if how == "AVG":
        total = total / len(tensors) if total.is_floating_point() else total // len(tensors)
    return total.to(dtype)


def outputs(operation: str, signature: dict[str, Any], sent: list[list[torch.Tensor]]) -> list[list[torch.Tensor]]:
    """For every rank of the group, in group order, the tensors it gets back."""
    count = len(sent)
    how, root = signature.get("reduce", "SUM"), signature.get("root", 0)
    match operation:
        case "all_reduce":
            reduced = [reduce(list(column), how) for column in zip(*sent, strict=True)]
            return [reduced] * count
        case "broadcast":
            return [sent[root]] * count
        case "reduce":
            reduced = [reduce(list(column), how) for column in zip(*sent, strict=True)]
            return [reduced if index == root else [] for index in range(count)]
        case "all_gather" | "all_gather_single":
            # one output list for each input tensor, one after the other
            gathered = [tensor for column in zip(*sent, strict=True) for tensor in column]
            return [gathered] * count
        case "gather":
            gathered = [tensors[0] for tensors in sent]
            return [gathered if index == root else [] for index in range(count)]
        case "scatter":
            return [[sent[root][index]] for index in range(count)]
        case "reduce_scatter" | "reduce_scatter_single":
            # each rank sent `blocks` times one piece for every rank
            blocks = len(sent[0]) // count
            return [
                [reduce([pieces[block * count + index] for pieces in sent], how) for block in range(blocks)]
                for index in range(count)
            ]
        case "all_to_all" | "all_to_all_single":
            return [[pieces[index] for pieces in sent] for index in range(count)]
        case "barrier" | "new_group" | "init_process_group":
            return [[]] * count
    raise ValueError(f"unknown operation {operation}")


def compute(calls: list[Call]) -> list[tuple[list[Meta], bytes]]:
    """Answer a complete meeting; a send comes first in its pair."""
    if calls[0].operation == "send":
        metas, payload = calls[0].payload
        return [([], b""), ([{**meta, "source": calls[0].rank} for meta in metas], bytes(payload))]
    sent = [unpack(list(call.payload[0]), call.payload[1]) for call in calls]
    answers = outputs(calls[0].operation, calls[0].signature, sent)
    packed: dict[int, tuple[list[Meta], bytes]] = {}
    for answer in answers:
        if id(answer) not in packed:
            packed[id(answer)] = pack(answer)
    return [packed[id(answer)] for answer in answers]
