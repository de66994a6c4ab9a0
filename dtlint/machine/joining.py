"""What is known after an undecided branch, of what each of its sides has left?"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from dtlint.machine.contents.as_long import is_filled
from dtlint.machine.control.agreeing import TOLD, as_heard, the_agreed
from dtlint.machine.lanes import all_constant, row, token
from dtlint.machine.values import (
    BY_RANK,
    BY_SHARE,
    CONTAINERS,
    ITEMS,
    MISSING,
    NONE,
    THERE,
    UNEVEN,
    Bound,
    Cause,
    ClassRef,
    Const,
    Either,
    External,
    FunctionRef,
    Object,
    Row,
    Symbol,
    Symbols,
    Tuple,
    Unknown,
    Value,
    telling,
)

PUT_ON = "put on"  # fact of a wrapper: with which question and answer it is put around its model, and never otherwise


def taken_off(left: Value, right: Value, older: int, question: Symbol | None, given: bool) -> Value | None:
    """`if distributed: model = model.module`: who takes the wrapper off under a condition asks whether there is one.
    The wrapper was there before, up to number `older`; one that is put on under a condition is new, and whoever asks
    the same again and takes the model where there is no wrapper takes none off. Nor does who takes it off where
    nothing is given, `if gpus is None`, ask for the wrapper: what is not given there is what the ranks would have."""
    for outer, inner, answer in ((left, right, given), (right, left, not given)):
        if isinstance(outer, Object) and outer.number <= older and outer.facts.get("wrapped"):
            if outer.attributes.get("module") == inner and outer.facts.get(PUT_ON) != (question, answer):
                return outer if question is not None and question.key[0] == "is none" and not answer else inner
    return None


MADE = frozenset({"begun", "api", "call"})  # facts any thing of a library has, modelled or not
ALTERNATIVES = 32  # things of which a variable may hold each, remembered one by one
FUNCTIONS = 4  # of which a name may stand for each
ALONE_SIZES = (None, 0, 1, -1)
STRUCTURED = (Object, FunctionRef, ClassRef, Bound, External, Tuple)


def join(
    left: Value, right: Value, symbols: Symbols, decision: Symbol, cause: Cause | None, older: int | None = None
) -> Value:
    """What a variable holds after a branch nobody can decide. With a cause, lanes may have taken different sides. What
    was made since number `older` was made below the branch."""
    if left is right or left == right:
        return left
    if left is MISSING:
        return right
    if right is MISSING:
        return left
    if cause is not None and cause.kind == "host" and is_place(left) and is_place(right):
        cause = None  # by their names the hosts of one job say at which of the sites it runs
    if cause is None:
        agreed = the_agreed(left, right, decision)
        if agreed is not None:
            return agreed
        left, right = as_heard(left, decision), as_heard(right, decision)
    if isinstance(left, Tuple) and isinstance(right, Tuple) and len(left.items) == len(right.items):
        pairs = zip(left.items, right.items, strict=True)
        return Tuple(tuple(join(one, other, symbols, decision, cause, older) for one, other in pairs))
    if isinstance(left, Row) and isinstance(right, Row):
        if cause is None and all_constant(left) and all_constant(right):
            # all lanes hold the one or all hold the other, never a mixture; who may choose the first of all has
            # chosen the first of each node for a reason
            chosen = left.cause.kind == "local rank" and right.cause.kind == "rank"
            return right if chosen else left
        lanes = tuple(
            join(one, other, symbols, decision, cause) for one, other in zip(left.lanes, right.lanes, strict=True)
        )
        return row(lanes, cause or left.cause)
    if cause is None:
        # every lane takes the same side. Prefer what carries structure: the rank row over a constant, the
        # object over None, because the other side is the undistributed or unconfigured one.
        if isinstance(left, Row) or isinstance(right, Row):
            kept, other = (left, right) if isinstance(left, Row) else (right, left)
            if isinstance(other, Unknown) and other.cause is None and was_told(other.symbol):
                return other  # where the ranks do not tell each other, there is one of them
            if isinstance(other, Const) and isinstance(kept, Row) and all_constant(kept) and kept.cause.kind in BY_RANK:
                symbols.tell(decision, kept is left)
            return kept if isinstance(other, Const) or other.cause is None else other
        if isinstance(left, STRUCTURED) or isinstance(right, STRUCTURED):
            kept = prefer(left, right)
            other = right if kept is left else left
            if isinstance(other, Unknown) and is_empty(kept):  # `given or []`: nobody knows whether it is empty
                symbol = symbols.of("phi", decision, token(left), token(right))
                return Unknown(symbol, other.cause, left.tags | right.tags, kept)
            if isinstance(other, Unknown) and stands_in(kept, other):  # `total(parts) if parts else torch.zeros(())`
                return Unknown(symbols.of("phi", decision, token(left), token(right)), other.cause, other.tags)
            if is_part_of(other, kept):  # `files = files[start::step]`: how it was cut is told by the part alone
                symbol = symbols.of("phi", decision, token(left), token(right))
                return Unknown(symbol, other.cause, left.tags | right.tags | inside_of(kept).tags, kept)
            if older is not None and stands_for(other, kept):
                return other
            if older is not None:
                made_instead(kept, other, decision, kept is left, older)
                if isinstance(kept, Object) and kept.number > older:
                    symbols.made_on.setdefault(kept.number, []).append((decision, kept is left, other))
            return one_of_two(kept, other, decision, kept is left)
        sized = size_of_many(left, right) or size_of_many(right, left)
        if sized is not None:
            return sized
        symbol = symbols.of("phi", decision, token(left), token(right))
        taken = next((one for one, other in ((left, right), (right, left)) if is_first_of(one, other)), None)
        if taken is not None:  # `x[0] if x.ndim else x`: all that has copies comes out without them
            return Unknown(symbol, taken.cause, taken.tags, like_of(taken))
        tags = left.tags | right.tags | orders_in(left) | orders_in(right)
        symbols.either[symbol] = Either(decision, left, right, tags)
        return Unknown(symbol, telling((left.cause, right.cause)), tags, like_of(left) or like_of(right))
    for one, other in ((left, right), (right, left)):
        if is_filled(one, other, decision):
            return one
    symbol = symbols.of("split", decision, token(left), token(right))
    if cause.kind == "files":
        cause = own_items(left) or own_items(right) or telling((left.cause, right.cause, cause))
    elif cause.kind == "random":
        cause = own_already(left, right) or cause
    if isinstance(left, Object) and isinstance(right, Object) and left.kind == right.kind == "torch.Tensor":
        symbols.parted[symbol] = left, right
    elif is_made(left, symbols) and is_made(right, symbols):
        symbols.made_apart[symbol] = left, right
    like = None
    if isinstance(left, STRUCTURED) or isinstance(right, STRUCTURED):
        like = prefer(left, right)
    tags = (left.tags | right.tags) - {THERE}  # the other side may have nothing
    if isinstance(left, Tuple) and isinstance(right, Tuple):
        tags |= {UNEVEN}  # one side has more
    return Unknown(symbol, cause, tags, like or like_of(left) or like_of(right))


def is_place(value: Value) -> bool:
    """A text or a path that is the same on all ranks."""
    if isinstance(value, Const):
        return isinstance(value.value, str)
    text = value.facts.get("text") if isinstance(value, Object) else None
    return isinstance(text, Value) and text.cause is None


def is_made(value: Value, symbols: Symbols) -> bool:
    """Is it a thing of a class of the program, or something that is called, or one of several?"""
    if isinstance(value, Unknown):
        return value.symbol in symbols.made_apart
    if isinstance(value, Object):
        return isinstance(value.kind, ClassRef)
    return isinstance(value, FunctionRef | Bound | ClassRef | External)


def own_already(left: Value, right: Value) -> Cause | None:
    """`if random.random() < 0.5: tile = flipped(tile)`, of a tile of this rank's part: it is so on either side,
    whatever chance chooses."""
    causes = [one.cause for one in (left, right) if one.cause is not None]
    return causes[0] if len(causes) == 2 and all(cause.kind in (*BY_SHARE, "data") for cause in causes) else None


def own_items(value: Value, inside: bool = False) -> Cause | None:
    """`if not path.exists(): left.append(path)`: whatever files there are, what is kept is of this rank's data."""
    if isinstance(value, Tuple):
        return next((cause for one in value.items if (cause := own_items(one, True)) is not None), None)
    kept = inside or (isinstance(value, Unknown) and value.symbol.key[0] == ITEMS)
    return value.cause if kept and value.cause is not None and value.cause.kind == "data" else None


def either_tree(left: Value, right: Value, join_leaves: Callable[[Value, Value], Value]) -> Value | None:
    """Of two trees of arrays, one with what either has there: a buffer of the one that was given away is not certainly
    what is found. Of one of them nobody may know the names. None where they are no such trees."""
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return join_leaves(left, right)
    if isinstance(left, Tuple) or isinstance(right, Tuple):
        return either_tuple(left, right, join_leaves)
    known, other = (left, right) if isinstance(left, Object) else (right, left)
    if not isinstance(known, Object) or known.kind != "dict" or not known.attributes or left is right:
        return None
    if isinstance(other, Object) and (other.kind != "dict" or other.attributes.keys() != known.attributes.keys()):
        return None
    if not isinstance(other, Object | Unknown):
        return None
    made = Object(known.kind, known.birth, known.number, known.at, known.path)
    made.facts = known.facts
    for name, held in known.attributes.items():
        there = other.attributes[name] if isinstance(other, Object) else other
        leaf = either_tree(held, there, join_leaves)
        if leaf is None:
            return None
        made.attributes[name] = leaf
    return made


def either_tuple(left: Value, right: Value, join_leaves: Callable[[Value, Value], Value]) -> Value | None:
    """`if loss < best: kept = (params, moments)`, where a turn before may have kept another one."""
    known, other = (left, right) if isinstance(left, Tuple) else (right, left)
    assert isinstance(known, Tuple)
    if left is right or not has_arrays(known):
        return None
    if isinstance(other, Tuple):
        if len(other.items) != len(known.items):
            return None
        there: tuple[Value, ...] = other.items
    elif isinstance(other, Unknown) and (other.symbol.key[0] == "loop" or was_read(other)):
        there = (other,) * len(known.items)
    else:
        return None
    parts = [either_tree(held, beside, join_leaves) for held, beside in zip(known.items, there, strict=True)]
    return Tuple(tuple(part for part in parts if part is not None)) if None not in parts else None


READ = frozenset({"host tree", "over copies", "stored"})  # facts of a tree of arrays that came out of a checkpoint


def was_read(tree: Unknown) -> bool:
    """`state = replicate((params, moments))`, and on one side of a branch what was read in its place"""
    return any(type(tag) is tuple and tag[0] == "jax" and tag[1] in READ for tag in tree.tags)


def has_arrays(value: Value) -> bool:
    if isinstance(value, Tuple):
        return any(map(has_arrays, value.items))
    if isinstance(value, Object):
        return value.kind == "dict" and any(map(has_arrays, value.attributes.values()))
    return any(type(tag) is tuple and tag[0] == "jax" for tag in value.tags)


def is_first_of(one: Value, other: Value) -> bool:
    """Is this the first of the copies that the other has, one for each device?"""
    key = one.symbol.key if isinstance(one, Unknown) else ()
    return key[:1] == ("first",) and isinstance(other, Unknown) and key[1] is other.symbol


def is_part_of(part: Value, whole: Value) -> bool:
    """Is it every so manieth item of this list, of whose items nothing is known one by one?"""
    key = part.symbol.key if isinstance(part, Unknown) else ("",)
    if key[0] != "slice" or key[-1] in (None, token(NONE)) or not isinstance(whole, Object):
        return False
    held = inside_of(whole)
    return isinstance(held, Unknown) and key[1] is held.symbol


def inside_of(container: Value) -> Value:
    return container.attributes.get("[]", NONE) if isinstance(container, Object) else NONE


def one_of_two(kept: Value, other: Value, question: Symbol, answer: bool) -> Value:
    """`step = together if options.sync else alone`: whoever calls it calls the one or the other."""
    if not isinstance(kept, FunctionRef | Bound) or not isinstance(other, FunctionRef | Bound | External):
        return kept
    if chosen_from(kept) + chosen_from(other) > FUNCTIONS:
        return kept
    both = copy(kept)
    both.otherwise = (question, answer, other)
    return both


def made_instead(kept: Value, other: Value, question: Symbol, answer: bool, older: int) -> None:
    """`policy = Strict(options) if options.strict else Lenient(options)`: the one or the other has been made, and each
    does what its own class says. What was there before has other names under which it is never the other."""
    if not isinstance(kept, Object) or not isinstance(other, Object) or kept.kind is other.kind:
        return
    if not isinstance(kept.kind, ClassRef) or not isinstance(other.kind, ClassRef):
        return
    known = any(other is one for _, _, one in kept.otherwise)
    if min(kept.number, other.number) > older and not known and made_from(kept) + made_from(other) <= FUNCTIONS:
        kept.otherwise = (*kept.otherwise, (question, answer, other))


def stands_for(thing: Value, one: Value) -> bool:
    """Has another branch said already that this thing may be that one?"""
    others = thing.otherwise if isinstance(thing, Object) else ()
    return any(other is one or stands_for(other, one) for _, _, other in others)


def made_from(thing: Value) -> int:
    """From how many things a branch above has chosen this one."""
    return 1 + sum(made_from(other) for _, _, other in thing.otherwise) if isinstance(thing, Object) else 0


def chosen_from(value: Value) -> int:
    """From how many functions a branch above has chosen this one."""
    if not isinstance(value, FunctionRef | Bound) or value.otherwise is None:
        return 1
    return 1 + chosen_from(value.otherwise[2])


def orders_in(value: Value) -> frozenset[Any]:
    """The marks of the order in which items came; a tuple has no tags of its own."""
    if not isinstance(value, Tuple):
        return value.tags and frozenset(tag for tag in value.tags if type(tag) is tuple and tag[0] == "order")
    return frozenset().union(*map(orders_in, value.items))


def was_told(symbol: Symbol, depth: int = 6) -> bool:
    """Is this made of what the ranks have told each other?"""
    if symbol.key[0] in TOLD:
        return True
    return depth > 0 and any(isinstance(part, Symbol) and was_told(part, depth - 1) for part in symbol.key[1:])


def size_of_many(size: Value, other: Value) -> Value | None:
    """The number of ranks, where the other side says that there is one. The devices of a node are no such number: one
    process without others takes all of them, and one of several takes one."""
    counts = isinstance(size, Const) and size.scale in ("world", "nodes", "group")
    return size if counts and isinstance(other, Const) and other.scale is None and other.value in ALONE_SIZES else None


def like_of(value: Value) -> Value | None:
    return value.like if isinstance(value, Unknown) else None


def is_empty(value: Value) -> bool:
    """A tuple, list, set or dictionary that nothing has been put into."""
    if value == Tuple(()):
        return True
    if not isinstance(value, Object) or value.kind not in CONTAINERS:
        return False
    return all(held == Tuple(()) for held in value.attributes.values())


def stands_in(value: Value, other: Unknown) -> bool:
    """A tensor of a size or of numbers, in the place of one of which something is known; or `[key]` in the place of a
    batch of keys, which is used up where it was made on that other side."""
    if not isinstance(value, Object) or value.cause is not None:
        return False
    if value.kind == "list":
        return any(type(tag) is tuple and tag[:2] == KEYS for tag in other.tags)
    return value.kind == "torch.Tensor" and bool(value.facts.get("plain")) and bool(other.tags)


KEYS = ("jax", "keys")  # begins the fact of a batch of keys


def prefer(left: Value, right: Value) -> Value:
    """Of two structured values of which one is None, unknown or plainer, keep the one that says more."""

    def weight(value: Value) -> float:
        if isinstance(value, Object):
            if value.facts.get("wrapped"):
                # the model, or the wrapper around it in a helper that wraps for several ranks only; of two wrappers the
                # one that shards, on whichever side it is: more of what is done with it takes all ranks
                return 9 if value.facts.get("sharded") else 8
            if not value.facts.keys() <= MADE:
                return 7  # a loader, a stream: more is known of it than how it was made
            if any(isinstance(held, Row) and held.cause.kind in BY_RANK for held in value.attributes.values()):
                return 7  # it knows its rank: the other is for who is alone
            return 6 if value.facts else 5
        if isinstance(value, Bound | FunctionRef | ClassRef):
            return 4
        if isinstance(value, Tuple):
            return 3 - 0.5 / (1 + len(value.items))  # of two lists the one that something was put into
        if isinstance(value, External):
            return 3
        if isinstance(value, Unknown):
            return 2 if value.cause is not None else 1
        return 0 if value is NONE or value == NONE else 1

    if isinstance(left, Object) and isinstance(right, Object):
        if any(held is left for held in right.attributes.values()):
            return right  # put around the other on one side: `data if is_stream(data) else Stream(data, sampler)`
    kept, other = (left, right) if weight(left) >= weight(right) else (right, left)
    if isinstance(kept, Object) and isinstance(other, Object) and other not in kept.instead:
        if len(kept.instead) < ALTERNATIVES:  # one of a table of thousands of entries is like the next
            kept.instead = (*kept.instead, other)
        if kept.made_if != other.made_if:  # there is something in both cases, or where the other was made at all
            kept.made_if = None if kept.made_if is not None else other.made_if
    if isinstance(kept, Object) and isinstance(other, Unknown):
        kept.doubted = True
    return kept
