"""What does a program consist of, once libcst's concrete syntax is left behind?

A deliberately small tree: plain slotted classes, no behaviour. `at` is `(line, column, end_line, end_column)`,
1-based, columns in code points, or `None` where no place of its own is kept. Every class lists its fields in
`__slots__`, in constructor order; that order is the serialised form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

OWN_ITEM = "self[]"  # among the names of a function: it asks itself for an item


class Node:
    __slots__ = ()
    below: tuple[str, ...] = ()  # the fields that may hold other nodes

    def __init__(self, *values: Any) -> None:
        raise TypeError(f"{type(self).__name__} has no fields")

    def __init_subclass__(cls) -> None:
        # Nodes are made by the hundred thousand: a constructor written out per class is five times faster
        # than a loop over `__slots__`.
        cls.below = tuple(name for name in tuple[str, ...](cls.__slots__) if name not in ("at", "tokens"))
        if cls.__slots__:
            lines = "".join(f"\n    self.{name} = {name}" for name in cls.__slots__)
            scope: dict[str, Any] = {}
            exec(f"def __init__(self, {', '.join(cls.__slots__)}):{lines}", scope)
            cls.__init__ = scope["__init__"]

    if TYPE_CHECKING:  # fields live in `__slots__`, which type checkers do not read

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __repr__(self) -> str:
        inside = ", ".join(
            f"{name}={getattr(self, name)!r}" for name in tuple[str, ...](self.__slots__) if name != "at"
        )
        return f"{type(self).__name__}({inside})"


class Expr(Node):
    __slots__ = ()


class Stmt(Node):
    __slots__ = ()


# --- expressions -----------------------------------------------------------------------------------------------


class Const(Expr):
    """A literal: str, bytes, int, float, complex, bool, None, Ellipsis. Adjacent strings are joined."""

    __slots__ = ("value",)


class Name(Expr):
    __slots__ = ("id",)


class Attr(Expr):
    __slots__ = ("value", "name")


class Index(Expr):
    """`value[index]`; several indices are a `Tup`, slices are `Slice`."""

    __slots__ = ("value", "index")


class Slice(Expr):
    __slots__ = ("lower", "upper", "step")  # Expr | None


class Call(Expr):
    """`func(*args, **kwargs)`: args are Expr or `Star`; keywords are `(name, Expr)`, name None for `**x`."""

    __slots__ = ("func", "args", "keywords", "at")


class Star(Expr):
    __slots__ = ("value",)


class BinOp(Expr):
    __slots__ = ("op", "left", "right")  # op as written: "+", "//", "@", ...


class Unary(Expr):
    __slots__ = ("op", "value")  # "not", "-", "+", "~"


class Compare(Expr):
    __slots__ = ("left", "pairs")  # pairs: tuple of (op, Expr); ops "==", "not in", "is not", ...


class BoolOp(Expr):
    __slots__ = ("op", "values")  # "and" | "or"; chains of one operator are flattened


class IfExp(Expr):
    __slots__ = ("test", "body", "orelse", "at")


class Lambda(Expr):
    __slots__ = ("params", "body", "at")


class Tup(Expr):
    __slots__ = ("items",)


class ListExpr(Expr):
    __slots__ = ("items",)


class SetExpr(Expr):
    __slots__ = ("items",)


class DictExpr(Expr):
    __slots__ = ("items",)  # tuple of (key Expr | None for `**x`, value Expr)


class Comp(Expr):
    """kind: "list" | "set" | "dict" | "generator"; `key` only for dict; clauses in order."""

    __slots__ = ("kind", "key", "element", "clauses", "at")


class Clause(Node):
    """`for target in iterable if c1 if c2`"""

    __slots__ = ("target", "iterable", "conditions", "is_async")


class FString(Expr):
    """The parts of an f-string (or t-string): Const for text, any Expr for values."""

    __slots__ = ("parts",)


class Format(Expr):
    """A value in an f-string that is written in a way of its own: `{value!r:>{width}}`; the spec is Expr | None."""

    __slots__ = ("value", "conversion", "spec")


class Await(Expr):
    __slots__ = ("value",)


class Yield(Expr):
    __slots__ = ("value", "is_from", "at")


class Walrus(Expr):
    __slots__ = ("target", "value")


class Unknown(Expr):
    """Syntax the machine does not model; `children` are evaluated for what they do."""

    __slots__ = ("what", "children")


# --- statements ------------------------------------------------------------------------------------------------


class ExprStmt(Stmt):
    __slots__ = ("value", "at")


class Assign(Stmt):
    """`a = b = value`: targets left to right."""

    __slots__ = ("targets", "value", "at")


class AugAssign(Stmt):
    __slots__ = ("target", "op", "value", "at")  # op without "="


class AnnAssign(Stmt):
    __slots__ = ("target", "annotation", "value", "at")  # value may be None


class Return(Stmt):
    __slots__ = ("value", "at")


class Raise(Stmt):
    __slots__ = ("value", "cause", "at")


class Break(Stmt):
    __slots__ = ("at",)


class Continue(Stmt):
    __slots__ = ("at",)


class Pass(Stmt):
    __slots__ = ("at",)


class Delete(Stmt):
    __slots__ = ("targets", "at")


class Assert(Stmt):
    __slots__ = ("test", "message", "at")


class If(Stmt):
    """`elif` is an `If` alone in `orelse`."""

    __slots__ = ("test", "body", "orelse", "at")


class While(Stmt):
    __slots__ = ("test", "body", "orelse", "at", "assigned")


class For(Stmt):
    """`assigned`: names bound anywhere in the loop (not in nested functions), sorted."""

    __slots__ = ("target", "iterable", "body", "orelse", "is_async", "at", "assigned")


class Handler(Node):
    """`except types as name:`; types None for a bare except; `is_star` for `except*`."""

    __slots__ = ("types", "name", "body", "is_star", "at")


class Try(Stmt):
    __slots__ = ("body", "handlers", "orelse", "final", "at")


class With(Stmt):
    __slots__ = ("items", "body", "is_async", "at")  # items: tuple of (Expr, target Expr | None)


class Param(Node):
    """kind: "positional" (before /), "normal", "vararg" (*a), "keyword" (after *), "kwarg" (**k)."""

    __slots__ = ("name", "kind", "default", "annotation")


class Function(Stmt):
    """`tokens`: every identifier used inside (names, attributes, keywords), a frozenset, for pruning.
    `is_generator`: has a yield of its own. `assigned`: names bound inside, sorted. `globals`: names declared
    global or nonlocal inside."""

    __slots__ = (
        "name",
        "qualname",
        "params",
        "returns",
        "body",
        "decorators",
        "docstring",
        "is_async",
        "is_generator",
        "assigned",
        "globals",
        "tokens",
        "at",
    )


class Class(Stmt):
    __slots__ = ("name", "qualname", "bases", "keywords", "body", "decorators", "docstring", "tokens", "at")


class Import(Stmt):
    __slots__ = ("names", "at")  # tuple of (dotted name, alias | None)


class ImportFrom(Stmt):
    """`level` dots, `module` may be "". names: tuple of (name, alias | None); `("*", None)` for star."""

    __slots__ = ("module", "names", "level", "at")


class Global(Stmt):
    __slots__ = ("names", "at")


class Nonlocal(Stmt):
    __slots__ = ("names", "at")


class Case(Node):
    """`pattern` is a Node: see patterns below; guard Expr | None."""

    __slots__ = ("pattern", "guard", "body", "at")


class Match(Stmt):
    __slots__ = ("subject", "cases", "at")


class Pattern(Node):
    """kind: "value" (`expr`), "capture" (`name`), "wildcard", "or", "as" (what, then the name for it), "sequence",
    "mapping" (of "key": `expr` and what stands there), "class" (`expr`, in order and of "field": `name` and what),
    "rest" (`name` or None: of a sequence or mapping), "other" (nothing known)."""

    __slots__ = ("kind", "expr", "name", "children")


class Module(Node):
    """A file. `body`, its docstring, every identifier used anywhere (frozenset)."""

    __slots__ = ("path", "body", "docstring", "tokens")


NODE_TYPES: dict[str, type[Node]] = {
    kind.__name__: kind for base in (Node, Expr, Stmt) for kind in base.__subclasses__() if kind not in (Expr, Stmt)
}
