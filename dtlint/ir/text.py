"""How does an expression read, in one short line?"""

from __future__ import annotations

from dtlint.ir import nodes as ir

LIMIT = 60


# how strongly an expression holds together; what stands in one that holds more strongly gets brackets
LOOSE = {"Lambda": 1, "IfExp": 1, "Walrus": 0, "Compare": 5, "Unary": 12, "Await": 14}
OPERATORS = {"or": 2, "and": 3, "not": 4, "|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "**": 13}
PRODUCT = 11
WHOLE = 15


def strength(node: ir.Node) -> int:
    if isinstance(node, ir.BinOp):
        return OPERATORS.get(node.op, PRODUCT)
    if isinstance(node, ir.BoolOp) or (isinstance(node, ir.Unary) and node.op == "not"):
        return OPERATORS[node.op]
    return LOOSE.get(type(node).__name__, WHOLE)


def render(node: ir.Node | None, limit: int = LIMIT) -> str:
    text = _render(node)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _inside(node: ir.Node, least: int) -> str:
    """A part of an expression that needs at least this strength to stand without brackets."""
    return f"({_render(node)})" if strength(node) < least else _render(node)


def _render(node: ir.Node | None) -> str:
    match node:
        case None:
            return ""
        case ir.Const():
            return repr(node.value)
        case ir.Name():
            return str(node.id)
        case ir.Attr():
            return f"{_inside(node.value, WHOLE)}.{node.name}"
        case ir.Index():
            return f"{_inside(node.value, WHOLE)}[{_render(node.index)}]"
        case ir.Slice():
            parts = [_render(node.lower), _render(node.upper)]
            return ":".join(parts) + (f":{_render(node.step)}" if node.step is not None else "")
        case ir.Call():
            inside = [_render(argument) for argument in node.args]
            inside += [f"{name}={_render(value)}" if name else f"**{_render(value)}" for name, value in node.keywords]
            return f"{_inside(node.func, WHOLE)}({', '.join(inside)})"
        case ir.Star():
            return f"*{_render(node.value)}"
        case ir.BinOp():
            own = strength(node)
            left, right = (own + 1, own) if node.op == "**" else (own, own + 1)  # only powers are read from the right
            return f"{_inside(node.left, left)} {node.op} {_inside(node.right, right)}"
        case ir.Unary():
            return ("not " if node.op == "not" else node.op) + _inside(node.value, strength(node))
        case ir.Compare():
            own = strength(node) + 1
            return _inside(node.left, own) + "".join(f" {op} {_inside(right, own)}" for op, right in node.pairs)
        case ir.BoolOp():
            return f" {node.op} ".join(_inside(value, strength(node) + 1) for value in node.values)
        case ir.IfExp():
            own = strength(node)
            return f"{_inside(node.body, own + 1)} if {_inside(node.test, own + 1)} else {_inside(node.orelse, own)}"
        case ir.Tup():
            return "(" + ", ".join(map(_render, node.items)) + ")"
        case ir.ListExpr():
            return "[" + ", ".join(map(_render, node.items)) + "]"
        case ir.SetExpr():
            return "{" + ", ".join(map(_render, node.items)) + "}"
        case ir.DictExpr():
            return "{…}"
        case ir.Comp():
            return f"[{_render(node.element)} for …]"
        case ir.FString():
            return 'f"…"'
        case ir.Await():
            return f"await {_inside(node.value, WHOLE)}"
        case ir.Walrus():
            return f"{_render(node.target)} := {_render(node.value)}"
        case ir.Lambda():
            return "lambda …"
        case _:
            return "…"
