"""What does the program of a number look like?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from bench.drawn.vocabulary import CLASS, FUNCTIONS, Vocabulary

LEAVING = ("return", "break", "continue", "raise")
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

    def inside(self, loop: bool = False, may_leave: bool = True) -> Place:
        names = list(self.names)
        return Place(self.indentation + 1, self.deeper - 1, self.loop or loop, self.helper, may_leave, names)


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
