"""How does an expression read, in one short line?"""

from __future__ import annotations

from dtlint.ir import nodes as ir

LIMIT = 60


def render(node: ir.Node | None, limit: int = LIMIT) -> str:
    text = _render(node)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _render(node: ir.Node | None) -> str:
    match node:
        case None:
            return ""
        case ir.Const():
            return repr(node.value)
        case ir.Name():
            return str(node.id)
        case ir.Attr():
            return f"{_render(node.value)}.{node.name}"
        case ir.Index():
            return f"{_render(node.value)}[{_render(node.index)}]"
        case ir.Slice():
            parts = [_render(node.lower), _render(node.upper)]
            return ":".join(parts) + (f":{_render(node.step)}" if node.step is not None else "")
        case ir.Call():
            inside = [_render(argument) for argument in node.args]
            inside += [f"{name}={_render(value)}" if name else f"**{_render(value)}" for name, value in node.keywords]
            return f"{_render(node.func)}({', '.join(inside)})"
        case ir.Star():
            return f"*{_render(node.value)}"
        case ir.BinOp():
            return f"{_render(node.left)} {node.op} {_render(node.right)}"
        case ir.Unary():
            return f"not {_render(node.value)}" if node.op == "not" else f"{node.op}{_render(node.value)}"
        case ir.Compare():
            return _render(node.left) + "".join(f" {op} {_render(right)}" for op, right in node.pairs)
        case ir.BoolOp():
            return f" {node.op} ".join(
                f"({_render(value)})" if isinstance(value, ir.BoolOp) else _render(value) for value in node.values
            )
        case ir.IfExp():
            return f"{_render(node.body)} if {_render(node.test)} else {_render(node.orelse)}"
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
            return f"await {_render(node.value)}"
        case ir.Walrus():
            return f"{_render(node.target)} := {_render(node.value)}"
        case ir.Lambda():
            return "lambda …"
        case _:
            return "…"
