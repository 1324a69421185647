"""docs/promises.md: every promise names a test that is there; and the promise about the code itself."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "promises.md").read_text(encoding="utf-8")
PRODUCT = sorted(
    path for package in ("contexts", "bizcrawl", "testbed") for path in (ROOT / package).rglob("*.py")
)


def promises() -> list[tuple[str, list[str]]]:
    """Each promise with the tests that it names."""
    items = re.findall(r"^- (.*?)(?=^- |^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    return [(item.split("`")[0].strip(), re.findall(r"`(test_\w+)`", item)) for item in items]


def defined() -> Counter[str]:
    """How often each test is defined."""
    return Counter(
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )


def test_every_promise_is_a_sentence_and_names_tests_that_are_there() -> None:
    found = defined()
    assert len(promises()) > 30
    for promise, tests in promises():
        assert promise.endswith("."), promise
        assert tests, f"no test holds this: {promise}"
        missing = [name for name in tests if not found[name]]
        assert not missing, f"{promise} names {missing}"


FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "joblib", "marshal", "shelve", "yaml", "cloudpickle"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__"}


def executing(path: Path) -> list[str]:
    """Lines of a module that could run data."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        forbidden = [name for name in names if name.split(".")[0] in FORBIDDEN_MODULES]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            forbidden.append(node.func.id)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "import_module"
        ):
            forbidden.append("import_module")
        found += [f"{path.relative_to(ROOT)}:{node.lineno} {name}" for name in forbidden]
    return found


ALLOWED = {
    "bizcrawl/cli/__init__.py": {"import_module"},  # the table of commands, written out there
    "bizcrawl/relevance/predicates.py": {"import_module"},  # a function that the user names
    "bizcrawl/doctor.py": {"import_module"},  # asks whether our own dependencies are there
    "bizcrawl/workers.py": {"pickle"},  # between the crawl and its own processes, over a pair of sockets
    "bizcrawl/worker_process.py": {"pickle"},
}


def test_nothing_in_the_product_executes_what_it_reads() -> None:
    """HAZARDS row 25."""
    found = [line for path in PRODUCT for line in executing(path)]
    unexpected = [line for line in found if line.split(" ")[1] not in ALLOWED.get(line.split(":")[0], set())]
    assert not unexpected
