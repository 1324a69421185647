"""How large the values may become that a statement makes, told from its parse tree before it runs.

DuckDB makes the values of 2,048 rows in one step, which neither its memory limit nor an interrupt can stop. A
page's text repeated a thousand times is then gigabytes at once. So every part of a statement gets a weight:
the value of a column weighs one, a text in the statement a thousandth for each of its characters, and a
function makes of its arguments' weights that of its result. Weights multiply where one part works on what
another made (subqueries, lambdas, aliases). A statement that comes to more than `MAX_GROWTH` is refused.

This bounds what functions do, not how large the data are: casts, and what a query gathers from many rows, are
left to the memory limit and to the watch over the process (`safe_sql.interrupting`).
"""

from __future__ import annotations

import math
import re
from typing import Any

MAX_GROWTH = 100.0
"""Texts of pages are 7 kB on average: of 2,048 rows, a hundred times as much is 1.4 GB."""
LITERAL_CHARS = 1_000
"""Characters that weigh as much as the value of a column."""
RECURSIVE_GROWTH = 2.01
"""What one step of a recursive query may make of the last: two columns and a mark between them."""

Node = Any
"""Part of the tree that ``json_serialize_sql`` gives."""

JOINING = frozenset(
    {
        *("||", "concat", "list_concat", "list_cat", "array_concat", "array_cat", "list_append"),
        *("array_append", "list_prepend", "array_prepend", "array_push_back", "array_push_front"),
        *("map_concat", "list_zip"),
        *("list_value", "list_pack", "array_value", "struct_pack", "row", "map", "struct_insert"),
        *("struct_update", "struct_concat", "array_zip", "json_merge_patch", "json_deep_merge", "overlay"),
    }
)
"""Their results hold all of their arguments."""
ESCAPED = {
    **dict.fromkeys(("hex", "to_hex", "base64", "to_base64", "url_encode", "regexp_escape"), 2.0),
    **dict.fromkeys(("json", "to_json", "json_quote", "json_array", "json_object", "array_to_json"), 2.0),
    **dict.fromkeys(("row_to_json", "json_pretty", "json_set", "json_insert", "json_replace"), 2.0),
    **dict.fromkeys(("bin", "to_binary"), 8.0),
}
"""Functions that write a character of their arguments as several, and what that comes to again and again."""
FILLING = frozenset({"repeat", "list_resize", "array_resize"})
"""They put a value as many times as their second argument says."""
CUTTING = frozenset({"lpad", "rpad", "bitstring"})
"""Their results are as long as their second argument says."""
COUNTING = frozenset({"range", "generate_series"})
REPLACING = frozenset({"replace", "regexp_replace"})
TEMPLATES = frozenset({"format", "printf"})
SEPARATING = frozenset(
    {
        *("array_to_string", "array_to_string_comma_default", "list_string_agg"),
        *("list_aggr", "list_aggregate", "array_aggr", "array_aggregate", "aggregate"),
    }
)
"""They may put their last argument between the elements of a list."""
FOLDING = frozenset({"list_reduce", "array_reduce", "reduce"})

_DYNAMIC_WIDTH = re.compile(r"\{[^{}]*\{")


class GrowsTooMuch(Exception):  # noqa: N818 - named for what a value does
    """A value may become too large; the message says by what, and what helps."""


def check_growth(tree: Node) -> None:
    """Raise `GrowsTooMuch` for a statement that may make huge values in one step."""
    if _Weigher().weight(tree) > MAX_GROWTH:
        raise GrowsTooMuch(
            f"this statement may make values more than {MAX_GROWTH:g} times as large; ask for rows instead"
        )


class _Weigher:
    """Weighs parse trees; knows the aliases of the select lists around the part that is being weighed."""

    def __init__(self) -> None:
        self._aliases: dict[str, float] = {}

    def weight(self, node: Node) -> float:
        """Weight of any part."""
        if isinstance(node, list):
            return max(map(self.weight, node), default=1.0)
        if not isinstance(node, dict):
            return 1.0
        kind = node.get("type")
        if kind == "VALUE_CONSTANT":
            return len(str(node["literal"].get("text", ""))) / LITERAL_CHARS
        if kind == "COLUMN_REF":
            return self._aliases.get(str(node["column_names"][-1]).lower(), 1.0)
        if kind == "FUNCTION":
            return self._call(node)
        if kind == "LAMBDA":
            return self._lambda(node)
        if kind == "SELECT_NODE":
            return self._select(node)
        if kind == "TABLE_FUNCTION":
            # rows come out of it one batch at a time, so only its arguments can be huge
            return self.weight(node["function"].get("arguments"))
        if kind == "RECURSIVE_CTE_NODE" and self.weight(node["right"]) > RECURSIVE_GROWTH:
            raise GrowsTooMuch("a recursive query may join no more than two values in a step here")
        return self._all(node)

    def _lambda(self, node: dict[str, Node]) -> float:
        """A lambda, or JSON's arrow, which is written alike."""
        given = node["lhs"]
        # several parameters stand there as a row
        parameters = given["arguments"] if given.get("function_name") == "row" else given
        return max(1.0, self.weight(parameters)) * max(1.0, self.weight(node["expr"]))

    def _all(self, node: dict[str, Node]) -> float:
        """Parts that may work on one another: tables joined, the queries of WITH."""
        product = 1.0
        for key, part in node.items():
            if key == "map" and isinstance(part, list):
                product *= math.prod(max(1.0, self.weight(entry)) for entry in part)
            elif isinstance(part, dict | list):
                product *= max(1.0, self.weight(part))
        return product

    def _select(self, node: dict[str, Node]) -> float:
        outside = self._aliases
        self._aliases = dict(outside)
        sources = self._all({key: node.get(key) for key in ("cte_map", "from_table")})
        found = [1.0]
        for item in node["select_list"]:
            found.append(self.weight(item))
            if isinstance(item, dict) and item.get("alias"):
                # an expression may use the aliases that stand before it
                self._aliases[item["alias"].lower()] = max(1.0, found[-1])
        known = ("cte_map", "from_table", "select_list")
        found += [self.weight(part) for key, part in node.items() if key not in known]
        self._aliases = outside
        return sources * max(found)

    def _call(self, node: dict[str, Node]) -> float:
        name = str(node["function_name"]).lower()
        # what stands before a dot may be a schema or the first argument; which one, DuckDB finds out later
        arguments: list[Node] = [None] if node.get("schema") else []
        arguments += [argument["expression"] for argument in node.get("arguments", [])]
        weights = list(map(self.weight, arguments))
        weight = self._result(name, arguments, weights)
        for part in (node.get("filter"), node.get("order_bys")):
            weight = max(weight, self.weight(part))
        if weight > MAX_GROWTH:
            raise GrowsTooMuch(
                f"{name} may make values too large here: write as plain numbers or short plain texts how "
                f"much a value grows, and let it grow no more than {MAX_GROWTH:g} times in all"
            )
        return weight

    def _result(self, name: str, arguments: list[Node], weights: list[float]) -> float:
        """Weight of what a function makes of arguments that weigh so much."""
        largest = max(weights, default=1.0)
        if name in JOINING:
            return math.inf if any(map(_unpacks, arguments)) else sum(weights)
        if name == "concat_ws":
            return math.inf if any(map(_unpacks, arguments)) else len(weights) * largest
        if name in ESCAPED:
            return ESCAPED[name] * sum(weights)
        if name in FILLING:
            return largest * max(1.0, _number(arguments, 1))
        if name in CUTTING:
            return max(largest, _number(arguments, 1) / LITERAL_CHARS)
        if name in COUNTING:
            return max(largest, _count(arguments))
        if name in REPLACING:
            return largest * _replacement(name, arguments)
        if name in TEMPLATES:
            return _template(arguments, max(weights[1:], default=0.0))
        if name in SEPARATING:
            return largest * (1 + _longest_text(arguments[1:]))
        lambdas = [w for argument, w in zip(arguments, weights, strict=True) if _is_lambda(argument)]
        if name in FOLDING and max(lambdas, default=1.0) > 1:
            # what is joined to itself doubles with every element
            return math.inf
        if lambdas:
            return math.prod(max(1.0, weight) for weight in weights)
        return largest


def _is_lambda(node: Node) -> bool:
    return isinstance(node, dict) and node.get("type") == "LAMBDA"


def _unpacks(node: Node) -> bool:
    """Whether an argument stands for any number of columns."""
    return isinstance(node, dict) and node.get("type") in {"OPERATOR_UNPACK", "STAR"}


def _literal(node: Node, kind: str) -> str | None:
    literal = node.get("literal") if isinstance(node, dict) else None
    return str(literal["text"]) if literal and literal.get("kind") == kind else None


def _number(arguments: list[Node], place: int) -> float:
    """The plain number that an argument is; anything else may be as large as it likes."""
    text = _literal(arguments[place], "INTEGER") if place < len(arguments) else None
    return float(text) if text is not None else math.inf


def _count(arguments: list[Node]) -> float:
    """Elements of a list of numbers from one plain number to another."""
    if len(arguments) < 2:
        return _number(arguments, 0)
    distance = _number(arguments, 1) - _number(arguments, 0)
    return abs(distance) if math.isfinite(distance) else math.inf


def _replacement(name: str, arguments: list[Node]) -> float:
    """How many times as long a text becomes when parts of it are replaced."""
    new = _literal(arguments[2], "STRING") if len(arguments) > 2 else None
    if new is None:
        return math.inf
    if name == "regexp_replace":
        # its pattern may match between all characters, and its replacement may name what was found
        return 1.0 + len(new)
    return max(1.0, len(new) / max(1, len(_literal(arguments[1], "STRING") or "")))


def _template(arguments: list[Node], largest: float) -> float:
    """Weight of a text made by a template: its fields, filled, and the widths that it names."""
    template = _literal(arguments[0], "STRING") if arguments else None
    if template is None or "*" in template or _DYNAMIC_WIDTH.search(template.replace("{{", "")):
        return math.inf
    widths = sum(float(digits) for digits in re.findall(r"[0-9]+", template))
    fields = template.count("{") + template.count("%")
    return (len(template) + widths) / LITERAL_CHARS + fields * largest


def _longest_text(arguments: list[Node]) -> float:
    """Length of the longest text among arguments; anything but a plain one may be as long as it likes."""
    texts = [_literal(argument, "STRING") for argument in arguments]
    return math.inf if None in texts else max((len(text or "") for text in texts), default=0)
