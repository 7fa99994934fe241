"""Count the package by room: `python tools/sizes.py [SRC]`, the package's folder.

Prints files, lines, statements and functions of each room, and what should be rare: docstrings
that begin with a question word, functions that only call another, class names that occur twice,
and imports between rooms.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent / "src/manifestkit"
_TURNED_ROUND = re.compile(r"(?:What|Whether|Where|How|The same)\b")
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


class Size(NamedTuple):
    """The size of a room."""

    files: int = 0
    lines: int = 0
    statements: int = 0
    functions: int = 0
    turned_round: int = 0
    wrappers: int = 0

    def plus(self, other: Size) -> Size:
        """Return the size of two rooms together."""
        return Size(*map(sum, zip(self, other, strict=True)))


def size(tree: ast.Module, text: str) -> Size:
    """Return the size of a file."""
    nodes = list(ast.walk(tree))
    functions = [each for each in nodes if isinstance(each, _FUNCTION)]
    documented = (*functions, *(each for each in nodes if isinstance(each, ast.ClassDef)), tree)
    openings = [ast.get_docstring(each) or "" for each in documented]
    return Size(
        files=1,
        lines=len(text.splitlines()),
        statements=sum(isinstance(each, ast.stmt) for each in nodes),
        functions=len(functions),
        turned_round=sum(bool(_TURNED_ROUND.match(each)) for each in openings),
        wrappers=sum(map(_only_passes_on, functions)),
    )


def _is_docstring(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _only_passes_on(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function only calls another with values that it has at hand."""
    body = [each for each in function.body if not _is_docstring(each)]
    if len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr) or function.decorator_list:
        return False
    call = body[0].value
    if not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(each.value for each in call.keywords)]
    return all(isinstance(each, ast.Name | ast.Attribute | ast.Constant) for each in given)


def main() -> None:
    """Print the tables."""
    package = Path(sys.argv[1]) if sys.argv[1:] else PACKAGE
    rooms: dict[str, Size] = {}
    classes: Counter[str] = Counter()
    edges: set[tuple[str, str]] = set()
    for path in sorted(package.rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        room = path.relative_to(package).parts[0].removesuffix(".py")
        rooms[room] = rooms.get(room, Size()).plus(size(tree, text))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name] += 1
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "manifestkit."
            ):
                edges.add((room, str(node.module).split(".")[1]))
    print(f"{'room':<14}" + "".join(f"{each:>13}" for each in Size._fields))
    total = Size()
    for room, each in sorted(rooms.items(), key=lambda item: -item[1].lines):
        print(f"{room:<14}" + "".join(f"{number:>13,}" for number in each))
        total = total.plus(each)
    print(f"{'all':<14}" + "".join(f"{number:>13,}" for number in total))
    twice = sorted(name for name, count in classes.items() if count > 1)
    print(f"class names that occur twice: {len(twice)}: {', '.join(twice)}")
    print(f"imports between rooms: {len({(a, b) for a, b in edges if a != b})}")


if __name__ == "__main__":
    main()
