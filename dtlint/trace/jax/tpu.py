"""Would a program of the script compile for TPUs, and what does it communicate there? No TPU is needed for either.

Lowering is JAX's own and always there. Compiling takes libtpu (`pip install dtlint[tpu]`), which knows chips that are
not attached. Without it, or for a number of devices that no slice has, only the lowering is told.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

IN_STABLEHLO = ("all_reduce", "all_gather", "reduce_scatter", "collective_permute", "all_to_all")
SLICES = {1: "v5e:1x1", 2: "v5e:1x2", 4: "v5e:2x2", 8: "v5e:2x4", 16: "v5e:4x4", 32: "v5e:4x8", 64: "v5e:8x8"}
KIBI = 1024


def answer(lower: Callable[..., Any], jaxpr: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> str:
    """What to tell of the program that `lower(jaxpr, *arguments, **options)` makes for this machine."""
    try:
        computation = lower(jaxpr, *arguments, **{**options, "lowering_platforms": ("tpu",)})
    except Exception as problem:
        return f"does not lower for TPU: {_first_line(problem)}"
    text = str(computation.stablehlo())
    lowered = sum(text.count(f"stablehlo.{word}") for word in IN_STABLEHLO)
    told = f"lowers for TPU with {_collectives(lowered)}"
    devices = int(computation.compile_args["num_devices"])
    if importlib.util.find_spec("libtpu") is None or devices not in SLICES:
        return told
    try:
        program, memory = _compiled(computation, SLICES[devices])
    except (ImportError, AttributeError, KeyError, TypeError):
        return told  # this JAX compiles for devices that are not there in another way
    except Exception as problem:
        return f"{told} and does not compile for {SLICES[devices]}: {_first_line(problem)}"
    sent = Counter(word for word in IN_STABLEHLO for _ in range(_launched(program, word.replace("_", "-"))))
    names = f" ({', '.join(f'{count} {word}' for word, count in sent.items())})" if sent else ""
    return f"{told}; compiled for {SLICES[devices]}: {_collectives(sent.total())}{names}, {memory} KiB for each device"


def _compiled(computation: Any, slice_: str) -> tuple[str, int]:
    """The program that XLA makes for devices of this slice, as text, and what each of them needs to hold it."""
    from jax._src import compiler
    from jax._src.interpreters import pxla
    from jax._src.lib import xla_client
    from jax.experimental import topologies

    devices = topologies.get_topology_desc(platform="tpu", topology_name=slice_).devices
    client, given, module = devices[0].client, computation.compile_args, computation.stablehlo()
    free_inputs = [False] * len(given["global_in_avals"])
    free_outputs = [False] * len(given["global_out_avals"])
    placed = np.array(devices, dtype=object)
    options = pxla.create_compile_options(module, given["tuple_args"], free_inputs, free_outputs, client, placed, {})
    made = compiler.backend_compile_and_load(client, module, xla_client.DeviceList(tuple(devices)), options, [])
    size = made.get_compiled_memory_stats()
    held = size.argument_size_in_bytes + size.output_size_in_bytes + size.temp_size_in_bytes
    return "\n".join(part.to_string() for part in made.hlo_modules()), -(-held // KIBI)


def _launched(program: str, word: str) -> int:
    """An asynchronous collective stands there twice, as its start and its end."""
    return program.count(f" {word}(") + program.count(f" {word}-start(")


def _collectives(count: int) -> str:
    return f"{count} collective operation{'' if count == 1 else 's'}"


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0][:200]
