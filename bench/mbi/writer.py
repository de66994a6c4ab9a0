"""How do statements become a file that runs, and on which of its lines does the bug lie?"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bench.mbi.frameworks import Framework
from bench.mbi.statements import Block, Body, Call, Outlined, Text

LAYOUTS = ("main", "function", "method", "globals")
HELPERS = {
    "is_main(": ("def is_main(rank):", "    return rank == 0"),
    "wanted(": ("def wanted(settings):", '    return settings["synchronise"] and settings["level"] < 3'),
}
CONSTANTS = {
    "SYNCHRONISE": ("SYNCHRONISE = True",),
    "SETTINGS": ('SETTINGS = {"synchronise": True, "level": 1}',),
    "STEPS": ("STEPS = 4",),
    "DEBUG": ("DEBUG = False",),
}
STANDARD_MODULES = ("contextlib", "functools", "os", "sys")
Line = tuple[str, bool]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything about a program but its text."""

    framework: Framework
    body: Body
    layout: str
    functions: tuple[tuple[str, Body], ...] = ()  # module level definitions, header and body
    qualified: bool = False  # torch.distributed.x instead of dist.x
    from_environment: bool = False  # the rank is read from RANK


@dataclass
class Writer:
    """Collects lines; outlined bodies become functions beside the main one."""

    plan: Plan
    functions: list[list[Line]] = field(default_factory=list)
    calls: int = 0
    stages: int = 0

    def names(self, inside: str) -> dict[str, str]:
        dist = "torch.distributed" if self.plan.qualified else "dist"
        names = {"rank": "rank", "world": "world_size", "tensor": "tensor", "acc": "accelerator"}
        if inside == "method":
            names = {key: f"self.{value}" for key, value in names.items()}
        if inside == "globals":
            names |= {"rank": "RANK", "world": "WORLD_SIZE"}
        return {**names, "dist": dist}

    def fill(self, text: str, inside: str) -> str:
        text = text.replace("$parameters", self.arguments(inside))
        names = self.names(inside)
        return re.sub(r"\$(\w+)", lambda found: names[found.group(1)], text)

    def parameters(self, inside: str) -> str:
        shared = ["accelerator"] if self.plan.framework.name == "accelerate" else []
        if inside == "globals":
            return ", ".join([*shared, "tensor"])
        return ", ".join([*shared, "rank", "world_size", "tensor"])

    def arguments(self, inside: str) -> str:
        """The same names at a call, as placeholders."""
        short = {"accelerator": "$acc", "rank": "$rank", "world_size": "$world", "tensor": "$tensor"}
        return ", ".join(short[name] for name in self.parameters(inside).split(", "))

    def lines(self, body: Body, inside: str, indent: int) -> list[Line]:
        written: list[Line] = []
        pad = "    " * indent
        for statement in body:
            match statement:
                case Text(text, mark):
                    written.append((pad + self.fill(text, inside), mark))
                case Call(_, mark):
                    self.calls += 1
                    for line in (every := self.plan.framework.lines(statement, self.calls)):
                        written.append((pad + self.fill(line, inside), mark and line is every[-1]))
                case Block(header, inner, mark):
                    written.append((pad + self.fill(header, inside), mark))
                    written += self.lines(inner, inside, indent + 1)
                case Outlined(inner, depth, mark):
                    written += self.outline(inner, depth, mark, inside, indent)
        return written

    def outline(self, body: Body, depth: int, mark: bool, inside: str, indent: int) -> list[Line]:
        if depth == 0:
            return self.lines(body, inside, indent)
        self.stages += 1
        name = f"stage_{self.stages}"
        if inside == "method":
            inner = self.outline(body, depth - 1, mark, inside, 2)
            self.functions.append([(f"    def {name}(self):", False), *inner])
            return [("    " * indent + f"self.{name}()", mark)]
        parameters = self.parameters(inside)
        place = "globals" if inside == "globals" else "function"
        inner = self.outline(body, depth - 1, mark, place, 1)
        self.functions.append([(f"def {name}({parameters}):", False), *inner])
        return [("    " * indent + f"{name}({parameters})", mark)]

    def program(self) -> tuple[str, tuple[int, ...]]:
        plan = self.plan
        extra = [self.definition(header, body) for header, body in plan.functions]
        main = {
            "main": self.in_main,
            "function": self.in_function,
            "method": self.in_method,
            "globals": self.in_globals,
        }
        rest = [*extra, *main[plan.layout]()]
        text = "\n".join(line for part in rest for line, _ in part)
        parts = [*self.prologue(text), *rest, [('if __name__ == "__main__":', False), ("    main()", False)]]
        lines: list[Line] = []
        for part in parts:
            lines += [*part, ("", False), ("", False)]
        while not lines[-1][0]:
            lines.pop()
        return "\n".join(line for line, _ in lines) + "\n", tuple(i for i, (_, mark) in enumerate(lines, 1) if mark)

    def prologue(self, text: str) -> list[list[Line]]:
        standard = [f"import {name}" for name in STANDARD_MODULES if f"{name}." in text]
        imports = list(self.plan.framework.imports)
        if self.plan.qualified:
            imports = ["import torch", "import torch.distributed"]
        imports = [line for line in imports if needed(line, text)]
        head = [*standard, *([""] if standard else []), *imports]
        parts = [[(line, False) for line in head]]
        helper_lines = [lines for key, lines in HELPERS.items() if key in text]
        constants = [line for name, lines in CONSTANTS.items() if re.search(rf"\b{name}\b", text) for line in lines]
        if constants:
            parts.append([(line, False) for line in constants])
        return [*parts, *([(line, False) for line in lines] for lines in helper_lines)]

    def definition(self, header: str, body: Body) -> list[Line]:
        decorators, _, signature = header.rpartition("\n")
        signature = signature.replace("$parameters", self.parameters(self.plan.layout))
        place = "globals" if self.plan.layout == "globals" else "function"
        head: list[Line] = [(line, True) for line in decorators.splitlines()]
        return [*head, (self.fill(signature, place), False), *self.lines(body, place, 1)]

    def setup(self) -> list[str]:
        setup = list(self.plan.framework.setup)
        if self.plan.from_environment:
            setup[1:3] = ['rank = int(os.environ["RANK"])', 'world_size = int(os.environ["WORLD_SIZE"])']
        return [self.fill(line, "function") for line in setup]

    def around(self, inner: list[Line], setup: list[str]) -> list[Line]:
        tear_down = [("    " + self.fill(line, "function"), False) for line in self.plan.framework.teardown]
        return [("def main():", False), *(("    " + line, False) for line in setup), *inner, *tear_down]

    def in_main(self) -> list[list[Line]]:
        inner = self.lines(self.plan.body, "function", 1)
        return [*self.functions, self.around(inner, self.setup())]

    def in_function(self) -> list[list[Line]]:
        inner = self.lines(self.plan.body, "function", 1)
        parameters = self.parameters("function")
        main = self.around([(f"    run({parameters})", False)], self.setup())
        return [*self.functions, [(f"def run({parameters}):", False), *inner], main]

    def in_method(self) -> list[list[Line]]:
        inner = self.lines(self.plan.body, "method", 2)
        parameters = self.parameters("method")
        job: list[Line] = [("class Job:", False), (f"    def __init__(self, {parameters}):", False)]
        job += [(f"        self.{name} = {name}", False) for name in parameters.split(", ")]
        methods = [*self.functions, [("    def run(self):", False), *inner]]
        for method in methods:
            job += [("", False), *method]
        return [job, self.around([(f"    Job({parameters}).run()", False)], self.setup())]

    def in_globals(self) -> list[list[Line]]:
        inner = self.lines(self.plan.body, "globals", 1)
        parameters = self.parameters("globals")
        constants = ['RANK = int(os.environ["RANK"])', 'WORLD_SIZE = int(os.environ["WORLD_SIZE"])']
        setup = [line for line in self.setup() if not line.startswith(("rank =", "world_size ="))]
        main = self.around([(f"    run({parameters})", False)], setup)
        return [
            [(line, False) for line in constants],
            *self.functions,
            [(f"def run({parameters}):", False), *inner],
            main,
        ]


def needed(line: str, text: str) -> bool:
    """Leave out what the program does not use, as a linter would ask for."""
    if line == "import torch":
        return bool(re.search(r"\btorch\.(?!distributed)", text))
    if line.endswith(" as dist"):
        return "dist." in text
    if "multihost_utils" in line:
        return "multihost_utils." in text
    if line.startswith("from accelerate.utils import"):
        return f"{line.split()[-1]}(" in text
    return True
