"""What is an expression worth on each lane?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.ir.text import render
from dtlint.machine import library
from dtlint.machine.contents import containers, filled_by, lacking, own_operators, sets
from dtlint.machine.contents.either import on_this_side
from dtlint.machine.contents.opaque import deep_cause, opaque
from dtlint.machine.contents.operators import arithmetic, both, comparison, content
from dtlint.machine.contents.truth import answered, truth, truth_of
from dtlint.machine.core import Machine
from dtlint.machine.functions import calls
from dtlint.machine.joining import join
from dtlint.machine.lanes import map_lanes, of_each, overlay, restrict
from dtlint.machine.library.computing import taken_up
from dtlint.machine.library.feeding import batches
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import launch as jax_launch
from dtlint.machine.library.meeting import roots, works
from dtlint.machine.library.python import collecting, files, generators, templates
from dtlint.machine.library.training import models
from dtlint.machine.logs import Decision, plain_question
from dtlint.machine.names import attributes, classes, put_items, scopes, subscripts
from dtlint.machine.names.frames import HANDED_ON
from dtlint.machine.starts import settings
from dtlint.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    SliceValue,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

Evaluator = Callable[[Machine, Any, int], Value]


def evaluate(machine: Machine, node: ir.Expr, mask: int) -> Value:
    value = EVALUATORS[type(node)](machine, node, mask)
    if type(value) is Row:
        return restrict(value, mask)
    if type(value) is Unknown and machine.told:
        return machine.told.get(value.symbol, value)
    return value


def constant(machine: Machine, node: ir.Const, mask: int) -> Value:
    value = node.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    return Const(value)


def name(machine: Machine, node: ir.Name, mask: int) -> Value:
    found = attributes.lookup(machine, node.id) or scopes.own_part(machine, node.id)
    if found is not None:
        if machine.frame.variables.partly is not None:
            lacking.looked_up(machine, node.id, mask)
        return on_this_side(machine, found)
    return machine.unknown("name", node.id)


def attribute(machine: Machine, node: ir.Attr, mask: int) -> Value:
    base = evaluate(machine, node.value, mask)
    roots.taken_from(machine, base, mask)
    found = attributes.read(machine, base, node.name, mask)
    if type(found) is Const and "batch" in node.name:
        batches.read(machine, node.name, found)
    return on_this_side(machine, found)


def subscript(machine: Machine, node: ir.Index, mask: int) -> Value:
    owner = evaluate(machine, node.value.value, mask) if isinstance(node.value, ir.Attr) else None
    if owner is not None and isinstance(node.value, ir.Attr):
        base = attributes.read(machine, owner, node.value.name, mask)
    else:
        base = evaluate(machine, node.value, mask)
    index = evaluate(machine, node.index, mask)
    if owner is not None and isinstance(node.value, ir.Attr) and node.value.name == "shape" and index == Const(0):
        rows = library.reading.uneven_length(machine, owner, mask)
        if rows is not None:
            return rows
    roots.taken_from(machine, base, mask)
    found = subscripts.item(machine, base, index, mask)
    if machine.flow is not None:
        found = jax_launch.row_taken(machine, base, index, found, mask)
    return taken_up.same_for_all(machine, node, base, found) if base.cause is not None else found


def slice_(machine: Machine, node: ir.Slice, mask: int) -> Value:
    def part(inner: ir.Expr | None) -> Value:
        return evaluate(machine, inner, mask) if inner is not None else NONE

    made = SliceValue(part(node.lower), part(node.upper), part(node.step))
    return made


def call(machine: Machine, node: ir.Call, mask: int) -> Value:
    return calls.evaluate_call(machine, node, mask)


def star(machine: Machine, node: ir.Star, mask: int) -> Value:
    """`[*pairs()]`, `show(*pairs())`: a generator is run to its end."""
    value = evaluate(machine, node.value, mask)
    if isinstance(value, Object) and generators.is_generator(value):
        return collecting.drawn(machine, "list", value, mask) or value
    return value


def binary(machine: Machine, node: ir.BinOp, mask: int) -> Value:
    left, right = evaluate(machine, node.left, mask), evaluate(machine, node.right, mask)
    if node.op == "/":
        found = files.divided(machine, left, right, mask)
        if found is not None:
            return found
    if node.op == "%" and isinstance(left, Const) and isinstance(left.value, str) and not isinstance(right, Const):
        written = templates.interpolated(machine, left.value, right, mask)
        if written is not None:
            return written
    for value in (left, right):
        roots.taken_from(machine, value, mask)
    own = own_operators.computed(machine, node.op, left, right, mask)
    if own is not None:
        return own
    result = arithmetic(machine, node.op, left, right)
    if node.op in batches.OPERATORS:
        batches.noticed(machine, node, left, right, result)
    if node.op == "%":
        jax_facts.remainder(machine, left, right)
    if node.op == "/":
        models.divided(machine, left, result)
    return result


def unary(machine: Machine, node: ir.Unary, mask: int) -> Value:
    value = evaluate(machine, node.value, mask)
    if node.op == "not":
        return negate(machine, value, mask)

    def one(held: Value) -> Value:
        if isinstance(held, Const) and isinstance(held.value, int | float):
            try:
                return Const(
                    -held.value if node.op == "-" else ~held.value if node.op == "~" else +held.value,  # type: ignore[operator]
                    held.scale,
                )
            except TypeError:
                pass
        return opaque(machine, f"unary {node.op}", content(held))

    return map_lanes(one, (value,), machine.world)


def negate(machine: Machine, value: Value, mask: int) -> Value:
    if isinstance(value, External | Bound | FunctionRef):
        value = library.noticing.asked(machine, value)
    value = answered(machine, value, mask)

    def one(held: Value) -> Value:
        known, symbol, cause = truth_of(machine, held)
        if known is not None:
            return FALSE if known else TRUE
        if isinstance(symbol, Symbol) and symbol.key[0] == "not" and isinstance(symbol.key[1], Symbol):
            return Unknown(symbol.key[1], cause, held.tags)
        return machine.unknown("not", symbol, cause=cause, tags=held.tags)

    return filled_by.empty(machine, value, mask, one) or map_lanes(one, (value,), machine.world)


def compare(machine: Machine, node: ir.Compare, mask: int) -> Value:
    first = left = evaluate(machine, node.left, mask)
    result: Value | None = None
    for op, right_node in node.pairs:
        right = evaluate(machine, right_node, mask)
        if op == "==" and isinstance(left, Row):
            library.noticing.answered(machine, node.left, left, right)
        if isinstance(node.left, ir.Attr) and left is first and op in ("==", "!="):
            library.noticing.called_beside(machine, node.left, right)
        part = has_inside(machine, op, left, right, mask) or own_operators.compared(machine, op, left, right, mask)
        part = part or comparison(machine, op, left, right, mask)
        result = part if result is None else both(machine, result, part)
        left = right
    assert result is not None
    return result


def has_inside(machine: Machine, op: str, left: Value, right: Value, mask: int) -> Value | None:
    """`rank in team`, where the class says itself what is in it."""
    if op in ("in", "not in") and isinstance(right, Row):
        return of_each(right, mask, lambda one, lanes: has_inside(machine, op, left, one, lanes))
    if op not in ("in", "not in") or not isinstance(right, Object) or not isinstance(right.kind, ClassRef):
        return None
    method = classes.in_class(machine, right.kind, "__contains__")
    if not isinstance(method, FunctionRef):
        return None
    answer = calls.follow(machine, method, right, (left,), (), mask)
    return answer if op == "in" else negate(machine, answer, mask)


def boolean(machine: Machine, node: ir.BoolOp, mask: int) -> Value:
    """`and`/`or` are control: later operands run only on lanes the earlier ones let through."""
    result = evaluate(machine, node.values[0], mask)
    for later in node.values[1:]:
        result = answered(machine, result, mask) if node.op == "and" else result
        true, false, unsure, cause, symbol = truth(machine, result, mask)
        going = (true if node.op == "and" else false) | unsure
        if not going:
            break
        done = mask & ~going
        if unsure:
            # whether the operand runs is not known; what it does is a side of a choice
            older = machine.objects
            ends = node.op == "and" and cause is None and ends_the_loop(machine, node)
            perhaps = maybe(machine, node.op, later, unsure, going & ~unsure, cause, symbol, ends)
            if perhaps is None:
                break  # the answer is known here, and this operand is not asked for
            if node.op == "or" and isinstance(perhaps, Object) and perhaps.number > older:
                settings.perhaps_given(machine, perhaps, result)
            right = perhaps
        elif done:
            right = within(machine, node, later, going, mask, cause)
        else:
            right = evaluate(machine, later, going)
        if isinstance(right, External | Bound | FunctionRef) and only_asked(machine, node):
            right = library.noticing.asked(machine, right)
        meant = None
        of_ranks = type(right) is Row or type(result) is Row
        if of_ranks or (type(right) is Const and right.scale == "world" and not only_asked(machine, node)):
            meant = library.noticing.chosen(machine, node.op, result, right, text_of(node.values[0]))
        if meant is None:
            meant = combine(machine, node.op, result, right, taken=not only_asked(machine, node))
        result = restrict(meant, mask)
    return result


def only_asked(machine: Machine, node: ir.BoolOp) -> bool:
    """Are these conditions of a branch, so that nobody takes the last of them for what it is?"""
    test = machine.asking.test if machine.asking is not None else None
    return test is node or (isinstance(test, ir.BoolOp) and any(one is node for one in test.values))


def within(machine: Machine, node: ir.Expr, later: ir.Expr, going: int, mask: int, cause: Cause | None) -> Value:
    frame = machine.frame
    decision = Decision("branch", frame.path, machine.current_at, text_of(node), cause, going, mask, frame.scope)
    box: list[Value] = []

    def inside() -> int:
        box.append(evaluate(machine, later, going))
        return going

    machine.guarded(decision, inside)
    return box[0]


def maybe(
    machine: Machine,
    op: str,
    later: ir.Expr,
    unsure: int,
    sure: int,
    cause: Cause | None,
    symbol: Symbol | None,
    ends: bool = False,
) -> Value | None:
    """What stands behind `and` is asked for where the first is true; behind `or`, where it is not. The lanes that are
    sure of the first have not been told what the others may take for granted."""
    from dtlint.machine.control.branches import choose

    going = unsure | sure
    if not has_call(later):
        machine.frame.answers.append((symbol, op == "and") if symbol is not None else None)
        found = evaluate(machine, later, unsure)
        machine.frame.answers.pop()
        return overlay(found, evaluate(machine, later, sure), sure, machine.world, cause) if sure else found
    box: list[Value] = []

    def asked(lanes: int) -> int:
        box.append(evaluate(machine, later, lanes))
        return lanes

    def passed_by(lanes: int) -> int:
        return ended(machine, lanes) if ends else lanes

    sides = (asked, passed_by) if op == "and" else (passed_by, asked)
    choose(machine, going, cause, symbol, machine.current_at, lambda: text_of(later), *sides)
    return box[0] if box else None


def ends_the_loop(machine: Machine, node: ir.BoolOp) -> bool:
    """`while step < most and trainer.turn():`: where the first is not true, the turn is not made at all."""
    loops = machine.frame.loops
    return bool(loops) and loops[-1].asked is node


def ended(machine: Machine, lanes: int) -> int:
    from dtlint.machine.control import loop_ends
    from dtlint.machine.control.statements import leave

    loop_ends.breaks(machine, machine.current_at, lanes)
    leave(machine, "break", machine.current_at)
    return 0


def has_call(node: ir.Expr) -> bool:
    if isinstance(node, ir.Call | ir.Await | ir.Yield | ir.Walrus):
        return True
    for slot in node.below:
        held = getattr(node, slot)
        if isinstance(held, ir.Expr) and has_call(held):
            return True
        if isinstance(held, tuple):
            for item in held:
                inner = item[1] if isinstance(item, tuple) and len(item) == 2 else item
                if isinstance(inner, ir.Expr) and has_call(inner):
                    return True
    return False


def opposite(one: Symbol | None, other: Symbol | None) -> bool:
    """`args.several` and `not args.several`: one of them is true, whichever."""
    if one is None or other is None:
        return False
    (asked, answer), (again, answered_there) = plain_question(one), plain_question(other)
    return asked is again and answer is not answered_there


def combine(machine: Machine, op: str, left: Value, right: Value, taken: bool = False) -> Value:
    """`taken`: for what it is, and not only for whether it is true."""

    def one(a: Value, b: Value) -> Value:
        known, symbol_a, cause_a = truth_of(machine, a)
        if known is not None:
            return (b if known else a) if op == "and" else (a if known else b)
        known_b, symbol_b, cause_b = truth_of(machine, b)
        if not taken and opposite(symbol_a, symbol_b):
            return TRUE if op == "or" else FALSE
        if op == "or" and isinstance(b, Object | FunctionRef | ClassRef | Bound | External):
            return join(a, b, machine.symbols, symbol_a, cause_a)
        if op == "or" and b == TRUE:
            return TRUE  # whatever the other is worth
        if op == "or" and known_b is True:
            return join(a, b, machine.symbols, symbol_a, None) if cause_a is None else a
        if taken and op == "or" and cause_a is None and cause_b is None and deep_cause(machine, (b,)) is not None:
            return join(a, b, machine.symbols, symbol_a, None)  # all have one, each its own
        if known_b is (op == "and"):
            return a if isinstance(a, Unknown) else machine.unknown("bool", symbol_a, cause=cause_a, tags=a.tags)
        if known_b is False and op == "and":
            return FALSE
        first, second = sorted((symbol_a, symbol_b), key=lambda symbol: repr(symbol))
        return machine.unknown(op, first, second, cause=cause_a or cause_b, tags=a.tags | b.tags)

    return map_lanes(one, (left, right), machine.world)


def conditional(machine: Machine, node: ir.IfExp, mask: int) -> Value:
    from dtlint.machine.control.branches import branch

    test = evaluate(machine, node.test, mask)
    true, false, unsure, _, _ = truth(machine, test, mask)
    if not unsure and not false:
        return evaluate(machine, node.body, mask)
    if not unsure and not true:
        return evaluate(machine, node.orelse, mask)
    holder: dict[Any, Value] = {}

    def side(expression: ir.Expr) -> Callable[[int], int]:
        def run_side(lanes: int) -> int:
            value = evaluate(machine, expression, lanes)
            machine.store(holder, "value", value, lanes, mask)
            return lanes

        return run_side

    branch(
        machine,
        test,
        mask,
        node.at or machine.current_at,
        lambda: text_of(node.test),
        side(node.body),
        side(node.orelse),
    )
    result = holder.get("value", NONE)
    if false and type(result) is Row and type(test) is Row:
        library.noticing.placed(machine, test, result, text_of(node.test))
        library.noticing.withheld(machine, node, test, result, text_of(node.test))
    return result


def lambda_(machine: Machine, node: ir.Lambda, mask: int) -> Value:
    from dtlint.machine.names.scopes import parameter_defaults

    machine.frame.capture()
    return FunctionRef(node, machine.frame.path, machine.frame, defaults=parameter_defaults(machine, node.params, mask))


def tuple_(machine: Machine, node: ir.Tup, mask: int) -> Value:
    items: list[Value] = []
    for item in node.items:
        if isinstance(item, ir.Star):
            rest = evaluate(machine, item, mask)
            spread = containers.items_of(machine, rest)
            if spread is None:
                return opaque(machine, "tuple", *items, rest)
            items.extend(spread)
        else:
            items.append(evaluate(machine, item, mask))
    if len(items) == len(node.items) and works.RUNNING in machine.facts:
        started = max((place for place, one in enumerate(items) if works.works_in(one)), default=0)
        for place, item in enumerate(node.items[:started]):
            if isinstance(item, ir.Name):  # `(flat, all_reduce(flat, async_op=True))`: it is on its way by now
                items[place] = evaluate(machine, item, mask)
    return Tuple(tuple(items))


def list_(machine: Machine, node: ir.ListExpr | ir.SetExpr, mask: int) -> Value:
    kind = "list" if isinstance(node, ir.ListExpr) else "set"
    if any(isinstance(item, ir.Star) for item in node.items):
        return put_together(machine, node, kind, mask)
    result = machine.new(kind, mask)
    held = tuple_(machine, node, mask)  # type: ignore[arg-type]
    result.attributes["[]"] = Tuple(sets.once(held.items)) if kind == "set" and isinstance(held, Tuple) else held
    return result


def put_together(machine: Machine, node: ir.ListExpr | ir.SetExpr, kind: str, mask: int) -> Object:
    """`["<pad>", *sorted(words)]` is as long as what is spread in it."""
    result = machine.new_list((), mask, kind)
    for item in node.items:
        value = evaluate(machine, item, mask)
        if isinstance(item, ir.Star) and not generators.is_generator(value):
            containers.extend(machine, result, value, mask)
        else:  # one more; any of those that a generator, which has been run by now, has given
            containers.append(machine, result, value, mask, several=isinstance(item, ir.Star))
    held = result.attributes["[]"]
    if kind == "set" and isinstance(held, Tuple):
        result.attributes["[]"] = Tuple(sets.once(held.items))
    return result


def dict_(machine: Machine, node: ir.DictExpr, mask: int) -> Value:
    result = machine.new("dict", mask)
    for key_node, value_node in node.items:
        value = evaluate(machine, value_node, mask)
        if key_node is None:
            put_items.merge(machine, result, value, mask)
        else:
            put_items.put(machine, result, evaluate(machine, key_node, mask), value, mask)
    return result


def comprehension(machine: Machine, node: ir.Comp, mask: int) -> Value:
    from dtlint.machine.control.comprehensions import run_comprehension

    return run_comprehension(machine, node, mask)


def formatted(machine: Machine, node: ir.FString, mask: int) -> Value:
    pieces: list[Value] = []
    for part in node.parts:
        own = part.__class__ is ir.Format
        value = library.noticing.meant(machine, evaluate(machine, part.value if own else part, mask), "formatted")
        spec = evaluate(machine, part.spec, mask) if own and part.spec is not None else Const("")
        pieces += templates.in_its_way(machine, value, part.conversion, spec, mask) if own else (value,)
    return templates.put_together(machine, tuple(pieces), mask)


def awaited(machine: Machine, node: ir.Await, mask: int) -> Value:
    return evaluate(machine, node.value, mask)


def yielded(machine: Machine, node: ir.Yield, mask: int) -> Value:
    frame = machine.frame
    if node.is_from and node.value is not None and frame.on_yield is not None:
        machine.run((each_of(machine, node),), mask)
        return NONE
    value = evaluate(machine, node.value, mask) if node.value is not None else NONE
    if frame.on_yield is not None:
        sent = frame.on_yield(value, mask)
        return sent if isinstance(sent, Value) else NONE
    frame.yields.append(value)
    return NONE


def each_of(machine: Machine, node: ir.Yield) -> ir.For:
    """`yield from items` as the loop that it is; the same one each time, for it stands for a place."""
    known: dict[int, tuple[ir.Yield, ir.For]] = machine.notes.setdefault("yield from", {})
    if id(node) not in known:
        item = ir.Name(HANDED_ON)
        body = (ir.ExprStmt(ir.Yield(item, False, node.at), node.at),)
        known[id(node)] = (node, ir.For(item, node.value, body, (), False, node.at, (HANDED_ON,)))
    return known[id(node)][1]


def walrus(machine: Machine, node: ir.Walrus, mask: int) -> Value:
    from dtlint.machine.names.assignment import assign_target

    value = evaluate(machine, node.value, mask)
    assign_target(machine, node.target, value, mask)
    return value


def unknown(machine: Machine, node: ir.Unknown, mask: int) -> Value:
    values = tuple(evaluate(machine, child, mask) for child in node.children)
    return opaque(machine, node.what, *values)


EVALUATORS: dict[type, Evaluator] = {
    ir.Const: constant,
    ir.Name: name,
    ir.Attr: attribute,
    ir.Index: subscript,
    ir.Slice: slice_,
    ir.Call: call,
    ir.Star: star,
    ir.BinOp: binary,
    ir.Unary: unary,
    ir.Compare: compare,
    ir.BoolOp: boolean,
    ir.IfExp: conditional,
    ir.Lambda: lambda_,
    ir.Tup: tuple_,
    ir.ListExpr: list_,
    ir.SetExpr: list_,
    ir.DictExpr: dict_,
    ir.Comp: comprehension,
    ir.FString: formatted,
    ir.Await: awaited,
    ir.Yield: yielded,
    ir.Walrus: walrus,
    ir.Unknown: unknown,
}


def text_of(node: ir.Node | None) -> str:
    """The expression in words, short enough for a message."""
    found = TEXTS.get(id(node))
    if found is None or found[0] is not node:
        found = TEXTS[id(node)] = (node, render(node))
    return found[1]


TEXTS: dict[int, tuple[ir.Node | None, str]] = {}  # the nodes are kept, so that an id stays theirs
