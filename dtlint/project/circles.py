"""Which modules import each other in a circle?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping


def circles(imports: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Every module with those that can be reached from it and reach it again, itself among them, sorted.

    Tarjan's strongly connected components, without recursion: a chain of imports may be long.
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_ones: list[str] = []
    is_open: set[str] = set()
    found: dict[str, tuple[str, ...]] = {}
    for root in sorted(imports):
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_ones.append(root)
        is_open.add(root)
        path = [(root, iter(sorted(imports[root])))]
        while path:
            module, targets = path[-1]
            for target in targets:
                if target not in index:
                    index[target] = low[target] = len(index)
                    open_ones.append(target)
                    is_open.add(target)
                    path.append((target, iter(sorted(imports.get(target, ())))))
                    break
                if target in is_open:
                    low[module] = min(low[module], index[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[module])
                if low[module] == index[module]:
                    members = [open_ones.pop()]
                    while members[-1] != module:
                        members.append(open_ones.pop())
                    is_open.difference_update(members)
                    circle = tuple(sorted(members))
                    found.update((member, circle) for member in members)
    return found
