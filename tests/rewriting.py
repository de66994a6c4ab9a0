"""How can a program be written differently and mean the same?"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterable

RANK_WORDS = ("rank", "is_main", "is_master", "process_index", "main_process", "world_size")


class NamedQuestions(ast.NodeTransformer):
    """`if rank == 0:` becomes `held_1 = rank == 0` and `if held_1:`."""

    def __init__(self) -> None:
        self.count = 0

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("body", "orelse", "finalbody"):
            held = getattr(node, field, None)
            if not isinstance(held, list) or not held or not isinstance(held[0], ast.stmt):
                continue
            if field == "orelse" and isinstance(node, ast.If) and len(held) == 1 and isinstance(held[0], ast.If):
                self.generic_visit(held[0])  # an `elif` asks only when its turn comes
                continue
            setattr(node, field, [one for statement in held for one in self.written(statement)])
        for handler in getattr(node, "handlers", ()):
            self.generic_visit(handler)
        return node

    def written(self, statement: ast.stmt) -> list[ast.stmt]:
        self.generic_visit(statement)
        if not isinstance(statement, ast.If) or not any(word in ast.unparse(statement.test) for word in RANK_WORDS):
            return [statement]
        if any(isinstance(node, ast.NamedExpr | ast.Await | ast.Yield) for node in ast.walk(statement.test)):
            return [statement]
        self.count += 1
        name = f"held_{self.count}"
        asked = ast.Assign([ast.Name(name, ast.Store())], statement.test)
        statement.test = ast.Name(name, ast.Load())
        return [asked, statement]


class TurnedBranches(ast.NodeTransformer):
    """`if a: x else: y` becomes `if not a: y else: x`."""

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if not node.orelse or (len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)):
            return node
        return ast.If(ast.UnaryOp(ast.Not(), node.test), node.orelse, node.body)


class OneMoreCall(ast.NodeTransformer):
    """The work of every function of a module moves into a helper that it calls."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [one for statement in node.body for one in self.split(statement)]
        return node

    def split(self, statement: ast.stmt) -> list[ast.stmt]:
        if not isinstance(statement, ast.FunctionDef) or statement.decorator_list or statement.args.posonlyargs:
            return [statement]
        if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(statement)):
            return [statement]
        given = statement.args
        call = ast.Call(
            ast.Name(f"{statement.name}_inner", ast.Load()),
            [ast.Name(one.arg, ast.Load()) for one in given.args]
            + ([ast.Starred(ast.Name(given.vararg.arg, ast.Load()), ast.Load())] if given.vararg else []),
            [ast.keyword(one.arg, ast.Name(one.arg, ast.Load())) for one in given.kwonlyargs]
            + ([ast.keyword(None, ast.Name(given.kwarg.arg, ast.Load()))] if given.kwarg else []),
        )
        inner = ast.FunctionDef(f"{statement.name}_inner", given, statement.body, [], statement.returns)
        return [inner, ast.FunctionDef(statement.name, given, [ast.Return(call)], [], statement.returns)]


class ContextsAround(ast.NodeTransformer):
    """The body of every `for` stands in a `with` that does nothing."""

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        nothing = ast.Call(ast.Attribute(ast.Name("contexts", ast.Load()), "nullcontext", ast.Load()), [], [])
        node.body = [ast.With([ast.withitem(nothing)], node.body)]
        return node

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self.generic_visit(node)
        first = 1 if node.body and isinstance(node.body[0], ast.Expr) else 0
        while first < len(node.body) and getattr(node.body[first], "module", "") == "__future__":
            first += 1
        node.body.insert(first, ast.Import([ast.alias("contextlib", "contexts")]))
        return node


class OtherNames(ast.NodeTransformer):
    """Every name that only this program gives, and nobody needs to know, is another one."""

    def __init__(self, needed: frozenset[str]) -> None:
        self.needed = needed
        self.given: dict[str, str] = {}

    def renamed(self, name: str) -> str:
        return self.given.get(name, name)

    def visit_Module(self, node: ast.Module) -> ast.AST:
        bound = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        bound |= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
        bound |= {one.name for one in ast.walk(node) if isinstance(one, DEFINITIONS)}
        self.given = {name: f"word_{number}" for number, name in enumerate(sorted(bound - self.needed))}
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.renamed(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.renamed(node.arg)
        return self.generic_visit(node)

    def visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        node.name = self.renamed(node.name)
        return self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_definition

    def visit_scope(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        node.names = [self.renamed(name) for name in node.names]
        return node

    visit_Global = visit_Nonlocal = visit_scope


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def needed_names(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Names by which other files, frameworks, keywords, texts or a class's users know something."""
    needed = {"self", "cls", *dir(builtins)}
    for tree in trees:
        said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # documentation
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(attr=name) | ast.keyword(arg=str(name)) | ast.ExceptHandler(name=str(name)):
                    needed.add(name)
                case ast.alias():
                    needed |= {*node.name.split("."), node.asname or ""}
                case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                    needed.add(name)
                case ast.Constant(value=str(text)) if id(node) not in said:
                    needed |= set(re.findall(r"\w+", text.replace("-", "_")))
                case ast.ClassDef():
                    needed |= {one.name for one in node.body if isinstance(one, DEFINITIONS)}
                    needed |= {one.arg for method in node.body for one in ast.walk(method) if isinstance(one, ast.arg)}
                    needed |= {one.id for line in node.body for one in targets(line)}
    return frozenset(needed)


def targets(line: ast.stmt) -> list[ast.Name]:
    held = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
    return [one for target in held for one in ast.walk(target) if isinstance(one, ast.Name)]


REWRITINGS: dict[str, Callable[[ast.Module, frozenset[str]], ast.AST]] = {
    "formatted": lambda tree, needed: tree,
    "named questions": lambda tree, needed: NamedQuestions().visit(tree),
    "turned branches": lambda tree, needed: TurnedBranches().visit(tree),
    "one more call": lambda tree, needed: OneMoreCall().visit(tree),
    "contexts around": lambda tree, needed: ContextsAround().visit(tree),
    "other names": lambda tree, needed: OtherNames(needed).visit(tree),
}


def rewritten(tree: ast.Module, how: str, needed: frozenset[str]) -> str:
    """As `ast.unparse` writes it: no comments, other lines and brackets, and what `how` says."""
    return ast.unparse(ast.fix_missing_locations(REWRITINGS[how](tree, needed))) + "\n"
