"""What does the program of a number look like?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from bench.drawn.vocabulary import CLASS, FUNCTIONS, Vocabulary

LEAVING = ("return", "break", "continue", "raise")
RAISED = 'raise ValueError("bad")'
OWN_DRAW = "random.random() < 0.5"  # each rank answers for itself


def program(number: int) -> str:
    """Every second one keeps its rank in a class."""
    words = CLASS if number % 2 else FUNCTIONS
    writer = Writer(words, random.Random(number))
    lines = []
    for definition in words.definitions:
        lines += [definition, *writer.block(Place(words.depth, 2, helper=True)), ""]
        lines += [""] if words is FUNCTIONS else []
    place = Place(words.depth, 3, may_leave=False)
    lines += [words.main, *(line for _ in range(writer.luck.randint(2, 4)) for line in writer.statement(place))]
    return words.before + "\n" + "\n".join(lines) + "\n" + words.after


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement stands. What a loop or a `try` does first and for certain does not leave it, or all that
    follows would be dead."""

    indentation: int
    deeper: int  # how many levels may still open
    loop: bool = False
    helper: bool = False
    may_leave: bool = True
    names: list[str] = field(default_factory=list)  # flags that have been set above
    caught: bool = False  # what is raised here

    def inside(self, loop: bool = False, may_leave: bool = True, caught: bool = False) -> Place:
        return replace(
            self,
            indentation=self.indentation + 1,
            deeper=self.deeper - 1,
            loop=self.loop or loop,
            may_leave=may_leave,
            names=list(self.names),
            caught=self.caught or caught,
        )

    def in_function(self) -> Place:
        """In a function that is written in here: what it returns and leaves is its own."""
        return replace(self.inside(), loop=False, helper=True, caught=False)


@dataclass(slots=True)
class Writer:
    words: Vocabulary
    luck: random.Random
    flags: int = 0
    draws: int = 0

    def block(self, place: Place) -> list[str]:
        lines: list[str] = []
        for _ in range(self.luck.randint(1, 3)):
            lines += self.statement(place)
            if lines[-1].split()[0] in LEAVING:
                break
        return lines

    def statement(self, place: Place) -> list[str]:
        chance = self.luck.random()
        if place.deeper <= 0 or chance < 0.3:
            return [indented(place, self.simple(place))]
        if self.luck.random() < 0.25:
            return list(self.otherwise_put(place))
        return list(self.compound(place, chance))

    def compound(self, place: Place, chance: float) -> Iterator[str]:
        if chance < 0.38:
            yield from self.in_a_group(place)
        elif chance < 0.44:
            yield indented(place, f"with {self.luck.choice(self.words.around)}:")
            yield from self.block(place.inside(may_leave=False))
        elif chance < 0.68:
            yield indented(place, f"if {self.question(place)}:")
            yield from self.block(place.inside())
            if self.luck.random() < 0.2:
                yield indented(place, f"elif {self.question(place)}:")
                yield from self.block(place.inside())
            if self.luck.random() < 0.35:
                yield indented(place, "else:")
                yield from self.block(place.inside())
        elif chance < 0.78:
            head = self.luck.choice(("for _ in range(2):", f"for item in {self.words.items}:"))
            yield indented(place, head)
            yield from self.block(place.inside(loop=True, may_leave=False))
        elif chance < 0.92 and not place.helper:
            called = self.luck.choice(self.words.helpers)
            if self.luck.random() < 0.4:
                yield indented(place, f"if {called}:")
                yield from self.block(place.inside())
            else:
                yield indented(place, called)
        else:
            yield indented(place, "try:")
            yield from self.block(place.inside(may_leave=False))
            yield indented(place, "finally:")
            yield indented(place.inside(), 'print("closed")')

    def otherwise_put(self, place: Place) -> Iterator[str]:
        """What could be said in plain branches and loops, in words of another kind."""
        yield from self.luck.choice(
            (
                self.in_an_expression,
                self.matched,
                self.raised_and_caught,
                self.ended_by_else,
                self.in_a_function,
                self.counted,
                self.looked_up,
            )
        )(place)

    def in_an_expression(self, place: Place) -> Iterator[str]:
        call, asked, chance = self.luck.choice(self.words.calls), self.question(place), self.luck.random()
        walked = self.luck.choice(("for _ in range(2)", f"for item in {self.words.items}"))
        if chance < 0.25:
            yield indented(place, f"[{call} {walked}]")
        elif chance < 0.4:
            yield indented(place, f"[{call} {walked} if {asked}]")
        elif chance < 0.6:
            yield indented(place, f"{call} if {asked} else None")
        elif chance < 0.75:
            yield indented(place, f"{call} if {asked} else {self.luck.choice(self.words.calls)}")
        elif chance < 0.9:
            yield indented(place, f"({asked}) {self.luck.choice(('and', 'or'))} {call}")
        else:
            self.flags += 1
            name = f"seen{self.flags}"
            yield indented(place, f"if {name} := {asked}:")
            yield from self.block(place.inside())
            yield indented(place, f"if not {name}:")
            yield from self.block(place.inside())

    def matched(self, place: Place) -> Iterator[str]:
        yield indented(place, f"match bool({self.question(place)}):")
        inside = place.inside()
        for case in ("True", "_"):
            yield indented(inside, f"case {case}:")
            yield from self.block(inside.inside())

    def raised_and_caught(self, place: Place) -> Iterator[str]:
        inside = place.inside(may_leave=False, caught=True)
        yield indented(place, "try:")
        if self.luck.random() < 0.7:
            yield indented(inside, f"if {self.question(place)}:")
            yield indented(inside.inside(), RAISED)
        yield from self.block(inside)
        yield indented(place, "except ValueError:")
        yield from self.block(place.inside())

    def ended_by_else(self, place: Place) -> Iterator[str]:
        yield indented(place, f"for item in {self.words.items}:")
        inside = place.inside(loop=True)
        yield indented(inside, f"if {self.question(place)}:")
        yield indented(inside.inside(), "break")
        yield from self.block(place.inside(loop=True, may_leave=False))
        yield indented(place, "else:")
        yield from self.block(place.inside())

    def in_a_function(self, place: Place) -> Iterator[str]:
        self.flags += 1
        name = f"step{self.flags}"
        if self.luck.random() < 0.3:
            yield indented(place, f"{name} = lambda: {self.luck.choice(self.words.calls)}")
        else:
            yield indented(place, f"def {name}():")
            yield from self.block(place.in_function())
        yield indented(place, f"if {self.question(place)}:")
        yield indented(place.inside(), f"{name}()")
        if self.luck.random() < 0.5:
            yield indented(place, f"{name}()")

    def counted(self, place: Place) -> Iterator[str]:
        self.flags += 1
        name = f"left{self.flags}"
        yield indented(place, f"{name} = 2")
        yield indented(place, f"while {name} > 0:")
        yield indented(place.inside(), f"{name} -= 1")
        yield from self.block(place.inside(loop=True, may_leave=False))

    def looked_up(self, place: Place) -> Iterator[str]:
        first, second = self.words.helpers
        name, given = first.partition("(")[0], first.partition("(")[2]
        other = second.partition("(")[0]
        if place.helper:
            yield indented(place, self.luck.choice(self.words.calls))
        else:
            yield indented(place, f"({name} if {self.luck.choice(self.words.ranks)} else {other})({given}")

    def in_a_group(self, place: Place) -> Iterator[str]:
        """Two ranks have a group of their own, or one sends what the other receives."""
        inside = place.inside()
        if self.luck.random() < 0.6:
            yield indented(
                place, f"if {self.luck.choice((self.words.members, self.question(place)))} and {self.words.members}:"
            )
            yield indented(inside, self.words.pair)
            return
        sender, send, receiver, receive = self.words.sends
        yield indented(place, f"if {sender}:")
        yield indented(inside, send)
        if self.luck.random() < 0.9:
            yield indented(place, f"elif {receiver}:")
            yield indented(inside, receive)

    def simple(self, place: Place) -> str:
        chance = self.luck.random()
        if chance < 0.42:
            return self.luck.choice(self.words.calls)
        if chance < 0.6:
            return 'print("working")'
        if chance < 0.75 and place.indentation == self.words.depth:
            asked = self.question(place)
            self.flags += 1
            place.names.append(f"flag{self.flags}")
            return f"flag{self.flags} = " + (f"agreed({asked})" if chance < 0.68 else asked)
        if not place.may_leave:
            return 'print("going on")'
        if place.caught and self.luck.random() < 0.3:
            return RAISED
        if chance < 0.9 or not place.loop:
            return self.luck.choice(("return True", "return False")) if place.helper else "return"
        return self.luck.choice(("break", "continue"))

    def question(self, place: Place) -> str:
        chance, flag, rank = self.luck.random(), self.luck.choice(self.words.flags), self.luck.choice(self.words.ranks)
        if chance < 0.07:
            return rank
        if chance < 0.1 and not self.draws:
            self.draws += 1
            return OWN_DRAW
        if chance < 0.3 and place.names:
            return self.luck.choice(("", "not ")) + self.luck.choice(place.names)
        if chance < 0.85:
            return flag
        return f"{flag} {self.luck.choice(('and', 'or'))} {rank}"


def indented(place: Place, line: str) -> str:
    return "    " * place.indentation + line
