"""What is a small program made of before it is text? Statements, some of them marked as places of the bug."""

from __future__ import annotations

from dataclasses import dataclass

Body = tuple["Statement", ...]


@dataclass(frozen=True, slots=True)
class Text:
    """One line. `$rank`, `$world`, `$tensor`, `$acc` and `$dist` are filled in by the writer."""

    text: str
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """One collective; the framework knows its lines. `handle` makes it asynchronous."""

    name: str
    mark: bool = False
    handle: str = ""
    root: str = ""
    reduction: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A header line and what is indented below it."""

    header: str
    body: Body
    mark: bool = False


@dataclass(frozen=True, slots=True)
class Outlined:
    """A body that lies in a function of its own, `depth` calls away."""

    body: Body
    depth: int
    mark: bool = False


Statement = Text | Call | Block | Outlined


def branch(condition: str, then: Body, other: Body = (), mark: bool = False) -> Body:
    blocks: Body = (Block(f"if {condition}:", then, mark),)
    return (*blocks, Block("else:", other, mark)) if other else blocks


def marked(body: Body) -> Body:
    """The same statements, all of them places of the bug."""
    return tuple(marked_one(statement) for statement in body)


def marked_one(statement: Statement) -> Statement:
    match statement:
        case Text(text):
            return Text(text, True)
        case Call(name, _, handle, root, reduction, group):
            return Call(name, True, handle, root, reduction, group)
        case Block(header, body):
            return Block(header, marked(body), True)
        case Outlined(body, depth):
            return Outlined(marked(body), depth, True)
    raise TypeError(statement)
