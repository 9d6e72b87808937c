"""Which file imports which inside a crate, the Python package and the pages; and the circles that they make.

A file imports what its code names: `use` and paths in Rust, `import` in Python and TypeScript. Tests do not count, and
a module that only hands on what its files have (`pub use`, `__init__.py`) is looked through: the import is of the file
that has the thing.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Imports = dict[Path, set[Path]]


def circles(imports: Imports) -> list[list[Path]]:
    """The files that reach each other, a sorted list for each circle (Tarjan's strongly connected components)."""
    index: dict[Path, int] = {}
    low: dict[Path, int] = {}
    stack: list[Path] = []
    found: list[list[Path]] = []

    def visit(node: Path) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(imports.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(imports):
        if node not in index:
            visit(node)
    return sorted(found)


# --- Rust -------------------------------------------------------------------------------------------------------------

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|r(#+)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\.[^\']*|[^\\\'])\'', re.DOTALL)
USE = re.compile(r"(?:^|(?<=[\s;}\]]))use\s+([^;]+);")
PATH = re.compile(r"(?<![\w:$])(\w+)((?:::\w+)+)")
ITEM = r"\b(?:fn|struct|enum|trait|type|const|static|union|mod|macro_rules!)\s+"
TEST = re.compile(r"#\[cfg\((?:test|all\(test\b[^\]]*|any\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*")
MODULE = re.compile(r"(?<!\w)mod\s+(\w+)\s*;")


@dataclass
class Module:
    """A file of a crate: its module's path, its code without comments and tests, and what its `use` lines name."""

    file: Path
    path: tuple[str, ...]
    code: str
    children: set[str]
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    globs: list[tuple[str, ...]] = field(default_factory=list)


def without_tests(code: str) -> str:
    """The code without items that are for tests alone."""
    while found := TEST.search(code):
        end = found.end()
        depth = 0
        while end < len(code):
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
            if depth == 0 and code[end - 1] in ";}":
                break
        code = code[: found.start()] + code[end:]
    return code


def use_tree(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each path of a `use` tree, and the name that it has here (`*` for all)."""
    text = text.strip()
    head, brace, rest = text.partition("{")
    if not brace:
        path, _, alias = text.partition(" as ")
        parts = tuple(part.strip() for part in path.split("::") if part.strip())
        if parts[-1:] == ("self",):
            parts = parts[:-1]
        if parts:
            yield parts, alias.strip() or parts[-1]
        return
    prefix = tuple(part.strip() for part in head.split("::") if part.strip())
    depth, start = 0, 0
    inner = rest[: rest.rindex("}")] + ","
    for at, char in enumerate(inner):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            for parts, name in use_tree(inner[start:at]):
                yield (prefix + parts if parts != ("self",) else prefix), name if name != "self" else prefix[-1]
            if inner[start:at].strip() == "self":
                yield prefix, prefix[-1]
            start = at + 1


def modules(root: Path) -> dict[tuple[str, ...], Module]:
    """The modules that the file of a crate's root declares, and theirs."""
    found: dict[tuple[str, ...], Module] = {}
    todo: list[tuple[tuple[str, ...], Path]] = [((), root)]
    while todo:
        path, file = todo.pop()
        code = without_tests(NOISE.sub('""', file.read_text(encoding="utf-8")))
        children = set(MODULE.findall(code))
        found[path] = Module(file, path, code, children)
        below = file.parent if file.name in {"lib.rs", "main.rs", "mod.rs"} else file.with_suffix("")
        for child in children:
            candidates = (below / f"{child}.rs", below / child / "mod.rs")
            todo += [((*path, child), candidate) for candidate in candidates if candidate.exists()]
    return found


def rust(root: Path) -> Imports:
    """What each file below a crate's `lib.rs` or `main.rs` imports of the others."""
    crate = modules(root)

    def absolute(module: Module, parts: tuple[str, ...]) -> tuple[str, ...] | None:
        base: tuple[str, ...]
        if parts[0] == "crate":
            return parts[1:]
        if parts[0] in {"self", "super"}:
            base = module.path
            while parts and parts[0] in {"self", "super"}:
                base, parts = (base[:-1] if parts[0] == "super" else base), parts[1:]
            return base + parts
        if parts[0] in module.children:
            return module.path + parts
        if parts[0] in module.names and len(parts) > 1:
            return module.names[parts[0]] + parts[1:]
        return None

    for module in crate.values():
        for tree in USE.findall(module.code):
            for parts, name in use_tree(tree):
                if (path := absolute(module, parts)) is not None:
                    if name == "*":
                        module.globs.append(path[:-1])
                    else:
                        module.names[name] = path

    def owner(path: tuple[str, ...], seen: frozenset[tuple[str, ...]] = frozenset()) -> Path | None:
        if path in seen:
            return None
        seen |= {path}
        module = crate[()]
        for at, part in enumerate(path):
            rest = path[at + 1 :]
            if part in module.children and (*module.path, part) in crate:
                module = crate[(*module.path, part)]
            elif part in module.names:
                return owner(module.names[part] + rest, seen)
            elif re.search(rf"{ITEM}{part}\b", module.code):
                return module.file
            else:
                for glob in module.globs:
                    if glob != module.path and (found := owner((*glob, part, *rest), seen)):
                        return found
                return module.file if not seen - {path} else None
        return module.file if module.path else None

    imports: Imports = {}
    for module in crate.values():
        handed_on = re.sub(r"\bpub(?:\([^)]*\))?\s+use\s[^;]+;", "", module.code)
        wanted: set[tuple[str, ...]] = set()
        for tree in USE.findall(handed_on):
            wanted |= {path for parts, name in use_tree(tree) if (path := absolute(module, parts)) is not None}
        body = USE.sub("", handed_on)
        for first, rest in PATH.findall(body):
            parts = (first, *rest[2:].split("::"))
            if (path := absolute(module, parts)) is not None:
                wanted.add(path)
        # What a module's name stands for is imported where it is used, not where it is named.
        below = {path[:length] for path in wanted for length in range(len(path))}
        wanted = {path for path in wanted if path not in crate or path not in below}
        imports[module.file] = {file for path in wanted if (file := owner(path)) and file != module.file}
    return imports


# --- Python -----------------------------------------------------------------------------------------------------------


def python(package: Path) -> Imports:
    """What each file of a package imports of the others, imports for types alone included."""
    files = set(package.rglob("*.py"))

    def module(parts: list[str]) -> Path | None:
        at = package.parent.joinpath(*parts)
        return next((file for file in (at.with_suffix(".py"), at / "__init__.py") if file in files), None)

    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in files}

    def named(file: Path) -> Iterator[tuple[list[str], str | None, str]]:
        here = list(file.relative_to(package.parent).parent.parts)
        for node in ast.walk(trees[file]):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name.split("."), None, alias.asname or alias.name
            elif isinstance(node, ast.ImportFrom):
                base = here[: len(here) - node.level + 1] if node.level else []
                for alias in node.names:
                    yield base + (node.module.split(".") if node.module else []), alias.name, alias.asname or alias.name

    def owner(base: list[str], name: str | None) -> Path | None:
        file = module(base)
        if name is None or file is None:
            return file
        if below := module([*base, name]):
            return below
        if file.name == "__init__.py":
            for other, what, alias in named(file):
                if alias == name and what is not None:
                    return owner(other, what)
        return file

    return {
        file: {found for base, name, _ in named(file) if (found := owner(base, name)) and found != file}
        for file, tree in trees.items()
        if file.name != "__init__.py" or any(isinstance(node, (ast.FunctionDef, ast.ClassDef)) for node in tree.body)
    }


# --- TypeScript -------------------------------------------------------------------------------------------------------

FROM = re.compile(r"""(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]""")


def typescript(source: Path) -> Imports:
    """What each file of the pages imports of the others, types and what is loaded later included."""
    files = {file for file in source.rglob("*.ts*") if ".test." not in file.name}
    imports: Imports = {}
    for file in files:
        named = {(file.parent / path).resolve() for path in FROM.findall(file.read_text(encoding="utf-8"))}
        imports[file] = {
            found
            for at in named
            for found in (at, at.with_name(f"{at.name}.ts"), at.with_name(f"{at.name}.tsx"), at / "index.ts")
            if found in files
        }
    return imports
