"""What do operators and string literals of libcst stand for?"""

from __future__ import annotations

import ast
import warnings
from typing import TypeGuard

import libcst

WORD_LENGTH = 40  # a string constant up to this long may be an identifier in disguise: `getattr(x, "barrier")`

OPERATORS: dict[type, str] = {
    libcst.Add: "+",
    libcst.Subtract: "-",
    libcst.Multiply: "*",
    libcst.Divide: "/",
    libcst.FloorDivide: "//",
    libcst.Modulo: "%",
    libcst.Power: "**",
    libcst.LeftShift: "<<",
    libcst.RightShift: ">>",
    libcst.BitOr: "|",
    libcst.BitAnd: "&",
    libcst.BitXor: "^",
    libcst.MatrixMultiply: "@",
    libcst.Plus: "+",
    libcst.Minus: "-",
    libcst.BitInvert: "~",
    libcst.Not: "not",
    libcst.And: "and",
    libcst.Or: "or",
    libcst.LessThan: "<",
    libcst.GreaterThan: ">",
    libcst.Equal: "==",
    libcst.LessThanEqual: "<=",
    libcst.GreaterThanEqual: ">=",
    libcst.NotEqual: "!=",
    libcst.In: "in",
    libcst.NotIn: "not in",
    libcst.Is: "is",
    libcst.IsNot: "is not",
}


def string_value(source: str) -> str | bytes:
    """What a string literal, prefix and quotes included, evaluates to."""
    if "\\" not in source:
        quote = source[0]
        if quote in "\"'":
            return source[3:-3] if len(source) >= 6 and source.startswith(quote * 3) else source[1:-1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(source)
        except (SyntaxError, ValueError):
            return source
    return value if isinstance(value, (str, bytes)) else source


def unescaped(text: str) -> str:
    """Text inside an f-string, its escapes resolved."""
    for quote in ('"""', "'''"):
        if quote not in text and not text.endswith(quote[0]):
            value = string_value(f"{quote}{text}{quote}")
            return value if isinstance(value, str) else text
    return text


def is_word(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= WORD_LENGTH and value.isidentifier()
