"""What does a rule's docstring say, section by section?"""

from __future__ import annotations

import re

HEADINGS = ("What it finds", "Why it is bad", "Instead", "Limits")
HEADING = re.compile(rf"^(?:#+ +|\*\*?)?({'|'.join(HEADINGS)})(?:\*\*?)?(?:[:.]|\*\*?)*(?: +(.*))?$")
UNDERLINE = re.compile(r"^[-=~]{3,}$")


def sections(documentation: str) -> dict[str, str]:
    """Title under "" and each heading's text; headings may be `## So`, `So:` or underlined."""
    found: dict[str, list[str]] = {"": []}
    current = ""
    for line in documentation.splitlines():
        match = HEADING.match(line)
        if match and match.group(1) not in found:
            current = match.group(1)
            found[current] = [match.group(2)] if match.group(2) else []
        elif not (UNDERLINE.match(line) and not "".join(found[current])):
            found[current].append(line)
    return {heading: "\n".join(lines).strip("\n") for heading, lines in found.items()}
