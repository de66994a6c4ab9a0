"""What happens when the program's own operation of automatic differentiation is applied? `Reduce.apply(x)`"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.names import classes
from dtlint.machine.values import ClassRef, FunctionRef, Object, Value

OPERATION = "<operation>"


def computed_by(machine: Machine, kind: ClassRef, name: str) -> Value | None:
    """The method of the class that a library runs when `name` is called on the class itself."""
    for known in classes.library_types(machine, kind):
        method = classes.in_class(machine, kind, known.computes.get(name, ""))
        if isinstance(method, FunctionRef):
            made = machine.new(OPERATION, machine.frame.mask)
            made.facts["computes"] = method
            made.facts["of class"] = kind if method.kind == "class" else None  # a class method, as torch allows
            made.facts["context"] = classes.in_class(machine, kind, "setup_context") is None
            return made
    return None


def apply(machine: Machine, operation: Object, arguments: tuple[Value, ...], keywords: Keywords, mask: int) -> Value:
    """It runs without gradients, which its own backward pass hands on. The context in front is made for it."""
    from dtlint.machine.functions import calls

    if operation.facts["context"]:
        arguments = (machine.unknown("context", operation.number), *arguments)
    saved = machine.facts.get("no_grad", 0)
    machine.facts["no_grad"] = saved + 1
    try:
        return calls.follow(
            machine, operation.facts["computes"], operation.facts["of class"], arguments, keywords, mask
        )
    finally:
        machine.facts["no_grad"] = saved
