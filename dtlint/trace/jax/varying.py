"""Which values differ between the devices of an axis? A walk over the body of a mapped program.

JAX's own answer (`check_vma=True`) is not there for pmap and `check_vma=False`, so dtlint follows the values itself:
sharded inputs and `axis_index` vary, a reduction or a gather over an axis stops varying over it, everything else varies
as its inputs do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dtlint.trace.jax import walk

Axes = frozenset[str]
NONE: Axes = frozenset()
# they turn a key into random numbers
DRAWS = frozenset({"random_bits", "threefry2x32", "random_gamma", "rng_bit_generator", "rng_uniform"})
ROUNDS = 8


@dataclass(frozen=True)
class Hazard:
    """Something that makes devices differ where they must not, or agree where they should differ."""

    kind: str  # varying-predicate | shared-key | reduced-twice
    axes: tuple[str, ...]
    place: dict[str, object]
    inner: dict[str, object]  # the collective, for a predicate
    text: str


@dataclass
class Walker:
    """State of one walk over one mapped body."""

    axes: Axes
    hazards: dict[tuple[object, ...], Hazard] = field(default_factory=dict)
    around: list[Any] = field(default_factory=list)

    def note(self, hazard: Hazard) -> None:
        key = (hazard.kind, tuple(hazard.place.values()), tuple(hazard.inner.values()))
        self.hazards.setdefault(key, hazard)

    def body(self, jaxpr: Any, inputs: Sequence[Axes]) -> list[Axes]:
        jaxpr = walk.open_jaxpr(jaxpr)
        table: dict[Any, Axes] = dict.fromkeys(jaxpr.constvars, NONE)
        table.update(zip(jaxpr.invars, inputs))
        for equation in jaxpr.eqns:
            given = [self._read(table, atom) for atom in equation.invars]
            self.around.append(equation)
            for variable, axes in zip(equation.outvars, self.equation(equation, given)):
                table[variable] = axes
            self.around.pop()
        return [self._read(table, atom) for atom in jaxpr.outvars]

    def _place(self) -> dict[str, object]:
        return walk.place_of(self.around[-1], self.around[:-1])

    @staticmethod
    def _read(table: dict[Any, Axes], atom: Any) -> Axes:
        return NONE if hasattr(atom, "val") else table.get(atom, NONE)

    def equation(self, equation: Any, given: list[Axes]) -> list[Axes]:
        name, count = equation.primitive.name, len(equation.outvars)
        together = NONE.union(*given) if given else NONE
        match name:
            case walk.AXIS_INDEX:
                return [frozenset((str(equation.params["axis_name"]),)) & self.axes] * count
            case "cond":
                return self._cond(equation, given)
            case "while":
                return self._while(equation, given)
            case "scan":
                return self._scan(equation, given)
        if over := frozenset(walk.axis_names(equation)) & self.axes:
            return self._collective(equation, given, over)
        if name in DRAWS and self.axes and not self._key(name, given) & self.axes:
            self._shared_key()
        inner = next(walk.nested(equation), None)
        if inner is not None:
            return self._call(inner[1], given, count, together)
        return [together] * count

    @staticmethod
    def _key(name: str, given: list[Axes]) -> Axes:
        return NONE.union(*given[:2]) if name == "threefry2x32" else given[0] if given else NONE

    def _shared_key(self) -> None:
        place = self._place()
        if place["line"]:
            axes = tuple(sorted(self.axes))
            text = f"random numbers are drawn from one key on all devices of {_axes(axes)}"
            self.note(Hazard("shared-key", axes, place, {}, text))

    def _collective(self, equation: Any, given: list[Axes], over: Axes) -> list[Axes]:
        if equation.primitive.name not in walk.AGREEING:
            return (
                [axes | over for axes in given]
                if len(given) == len(equation.outvars)
                else [over] * len(equation.outvars)
            )
        if equation.params.get("axis_index_groups"):
            return given
        if equation.primitive.name.startswith("psum") and given and not NONE.union(*given) & over:
            text = f"what {equation.primitive.name} adds up over {_axes(sorted(over))} is already equal on all devices"
            self.note(Hazard("reduced-twice", tuple(sorted(over)), self._place(), {}, text))
        return [axes - over for axes in given]

    def _call(self, jaxpr: Any, given: list[Axes], count: int, together: Axes) -> list[Axes]:
        wanted = len(walk.open_jaxpr(jaxpr).invars)
        results = self.body(jaxpr, given[-wanted:] if len(given) >= wanted else [together] * wanted)
        return results if len(results) == count else [together] * count

    def _cond(self, equation: Any, given: list[Axes]) -> list[Axes]:
        predicate, operands = given[0], given[1:]
        branches = equation.params["branches"]
        results = [self.body(branch, operands) for branch in branches]
        if predicate & self.axes:
            self._predicate(equation, predicate, [walk.collectives(branch) for branch in branches])
        return [predicate.union(*parts) for parts in zip(*results)]

    def _while(self, equation: Any, given: list[Axes]) -> list[Axes]:
        conditions, bodies = int(equation.params["cond_nconsts"]), int(equation.params["body_nconsts"])
        of_condition, of_body = given[:conditions], given[conditions : conditions + bodies]
        carry, predicate = given[conditions + bodies :], NONE
        for _ in range(ROUNDS):
            predicate = self.body(equation.params["cond_jaxpr"], [*of_condition, *carry])[0]
            after = self.body(equation.params["body_jaxpr"], [*of_body, *carry])
            grown = [old | new | predicate for old, new in zip(carry, after)]
            if grown == carry:
                break
            carry = grown
        if predicate & self.axes:
            inside = [walk.collectives(equation.params[name]) for name in ("cond_jaxpr", "body_jaxpr")]
            self._predicate(equation, predicate, [inside[0] + inside[1], []])
        return carry

    def _scan(self, equation: Any, given: list[Axes]) -> list[Axes]:
        constants, carries = int(equation.params["num_consts"]), int(equation.params["num_carry"])
        carry, results = list(given[constants : constants + carries]), []
        for _ in range(ROUNDS):
            results = self.body(equation.params["jaxpr"], [*given[:constants], *carry, *given[constants + carries :]])
            grown = [old | new for old, new in zip(carry, results)]
            if grown == carry:
                break
            carry = grown
        return [*carry, *results[carries:]]

    def _predicate(self, equation: Any, predicate: Axes, sides: list[list[walk.Collective]]) -> None:
        """Devices that take different sides make different collectives over an axis that the predicate varies over."""
        made = [[item for item in side if set(item.axes) & predicate] for side in sides]
        words = {tuple((item.operation, item.axes) for item in side) for side in made}
        if len(words) < 2:
            return
        first = next(item for side in made for item in side)
        kind = equation.primitive.name
        what = "loops for a number of turns" if kind == "while" else "takes a branch"
        text = f"each device of {_axes(sorted(predicate))} {what} of its own around {first.operation}"
        self.note(Hazard("varying-predicate", tuple(sorted(predicate)), self._place(), first.place, text))


def _axes(names: Iterable[str]) -> str:
    return "axis " + " and ".join(f"`{name}`" for name in names)


def analyse(equation: Any, shared_inputs: frozenset[int] = frozenset()) -> list[Hazard]:
    """The hazards in the body of a shard_map equation; `shared_inputs` are equal on all devices although sharded."""
    axes = frozenset(name for name, size in walk.axis_sizes(equation.params["mesh"]).items() if size > 1)
    inputs = []
    for index, spec in enumerate(walk.specs(equation, "in")):
        varies = frozenset(name for names in spec.values() for name in names) & axes
        inputs.append(NONE if index in shared_inputs else varies)
    walker = Walker(axes)
    walker.body(equation.params["jaxpr"], inputs)
    hazards = list(walker.hazards.values())
    if not any(inputs):
        # all devices compute the same from the same, as they do when parameters are made
        hazards = [hazard for hazard in hazards if hazard.kind != "shared-key"]
    if not _tracked(equation):
        # without tracking, a value that is equal everywhere may well be meant to be added up
        hazards = [hazard for hazard in hazards if hazard.kind != "reduced-twice"]
    return hazards


def _tracked(equation: Any) -> bool:
    return bool(equation.params.get("check_vma", equation.params.get("check_rep", False)))
