"""The neutral trees of the corpus as queries of the Python client. The grammar is in the README of the corpus."""

import base64
from dataclasses import is_dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from db import _runtime as svc

CODES = {"n": "i", "s": "i"}
METHODS = {"and": "and_", "or": "or_", "not": "not_", "isNull": "is_null", "isNotNull": "is_not_null", "orElse": "or_else"}
MATCHES = {"match": "match", "startsWith": "starts_with", "endsWith": "ends_with", "contains": "contains"}
FOLDS = {"sum": svc.sum_, "avg": svc.avg, "min": svc.min_, "max": svc.max_}


def tables_of(infos: list[Any]) -> dict[str, Any]:
    made = []
    for name, columns, keys, relations, *_ in infos:

        def row(*values: Any, names: list[str] = [one[0] for one in columns]) -> dict[str, Any]:
            return Row(zip(names, values))

        shown = [(one[0], one[0], CODES.get(one[1], one[1]), bool(one[2] & 1), bool(one[2] & 2)) for one in columns]
        made.append((name, row, shown, keys, [tuple(relation) for relation in relations]))
    schema = svc.schema_of(1, "", made)
    return {table.name: svc.Table(schema, i) for i, table in enumerate(schema.tables)}


class Row(dict):  # type: ignore[type-arg]
    """A row of a table whose columns are called anything."""

    def __getattr__(self, name: str) -> Any:
        return self[name]


def native(value: Any) -> Any:
    if isinstance(value, int) and abs(value) > 2**63:
        # JSON of a float64.
        return float(value)
    if not isinstance(value, dict):
        return value
    if "$int64" in value:
        return int(value["$int64"])
    if "$bytes" in value:
        return base64.b64decode(value["$bytes"])
    if "$float" in value:
        return float(value["$float"])
    return {name: native(one) for name, one in value.items()}


class Interpreter:
    def __init__(self, tables: dict[str, Any], frames: list[Any], names: dict[str, Any]) -> None:
        self.tables = tables
        self.frames = frames
        self.names = names

    def result(self, tree: Any) -> Any:
        if tree[0] == "all":
            return svc.results(self.object(tree[1]))
        if tree[0] == "program":
            return self.program(tree[1], tree[2])
        return self.part(tree)

    def within(self, frame: Any) -> "Interpreter":
        return Interpreter(self.tables, [frame, *self.frames], self.names)

    def named(self, name: str, value: Any) -> "Interpreter":
        return Interpreter(self.tables, self.frames, {**self.names, name: value})

    def object(self, pairs: Any) -> dict[str, Any]:
        return {name: self.part(tree) for name, tree in pairs}

    def fn(self, tree: Any) -> Any:
        return lambda *row: self.within(row).part(tree)

    def fields(self, pairs: Any) -> Any:
        return lambda *row: self.within(row).object(pairs)

    def key(self, pairs: Any) -> dict[str, Any]:
        return self.object(pairs.items())

    def merge(self, set: Any) -> Any:
        return set if set is None or not set or isinstance(set[0], str) else self.fields(set)

    def part(self, tree: Any) -> Any:
        if not isinstance(tree, list):
            return native(tree)
        head, *parts = tree
        a, b, c, d = (parts + [None] * 4)[:4]
        q = lambda: self.part(a)  # noqa: E731
        table = lambda: self.tables[a]  # noqa: E731
        match head:
            case "table":
                return table()
            case "get" | "by":
                return getattr(table(), head)(self.key(b))
            case "getMany":
                return table().get_many([self.key(key) for key in b])
            case "rows":
                return svc.rows(dict(a), [native(row) for row in b])
            case "where":
                return q()._where(self.fn(b))
            case "whereIn":
                return q().where_in(self.fn(b), [native(value) for value in c])
            case "orderBy":
                return q().order_by(lambda *row: [self.within(row).part(term) for term in b])
            case "limit" | "offset" | "named":
                return getattr(q(), head)(b)
            case "select":
                return q()._select(self.fields(b))
            case "join":
                return q().join(self.part(b), self.fn(c))
            case "leftJoin":
                return q().left_join(self.part(b), self.fn(c))
            case "group":
                return q().group(self.fields(b), self.fields(c))
            case "fold":
                return q().fold(self.fields(b))
            case "union":
                return q().union(self.part(b))
            case "intersect":
                return q().intersect(self.part(b), all=bool(c))
            case "except":
                return q().except_(self.part(b), all=bool(c))
            case "distinct" | "first" | "one" | "shared" | "exists":
                return getattr(q(), head)()
            case "value":
                return q()._value(self.fn(b))
            case "count":
                return svc.count() if a is None else q().count()
            case "recursive":
                return svc.recursive(q(), lambda self_: self.named("self", self_).part(b), c or "new")
            case "let":
                return self.named(a, self.result(b)).result(c)
            case "use":
                return self.names[a]
            case "rowsOf":
                return self.rows_of(self.names[a])
            case "rel":
                return self.frames[b or 0][-1]._svc_related(a)
            case "col":
                return self.frames[c or 0][b or 0][a]
            case "lit":
                return svc.lit(a, native(b))
            case "in":
                return q().in_([native(value) for value in b])
            case "match" | "startsWith" | "endsWith" | "contains":
                return getattr(q(), MATCHES[head])(b, fold=bool(c))
            case "when":
                branch = svc.Branch([])
                for test, then in a:
                    branch = branch.when(self.part(test), self.part(then))
                return branch.else_(self.part(b))
            case "sum" | "avg" | "min" | "max":
                return FOLDS[head](q())
            case "insert":
                return table().insert(native(b))
            case "insertMany":
                return table().insert_many([native(row) for row in b])
            case "insertFrom":
                return table().insert_from(self.part(b), self.fields(c))
            case "updateFrom":
                return table().update_from(self.part(b), self.fields(c))
            case "insertIgnore":
                return table().insert_ignore([native(row) for row in b], c)
            case "upsert":
                return table().upsert([native(row) for row in b], on=c, set=self.merge(d))
            case "update":
                return table().update(self.key(b), self.fields(c))
            case "updateWhere":
                return table().update_where(self.fn(b), self.fields(c))
            case "delete":
                return table().delete(self.key(b))
            case "deleteWhere":
                return table().delete_where(self.fn(b))
            case "asc" | "desc" | "neg" | "int" | "float":
                return getattr(q(), head)()
            case _:
                return getattr(q(), METHODS.get(head, head))(*[self.part(one) for one in parts[1:]])

    def rows_of(self, of: Any) -> Any:
        if isinstance(of, svc.Write):
            return of._last.rows()
        return of.rows

    def program(self, steps: Any, result: Any) -> Any:
        p = svc.Program()
        here = Interpreter(self.tables, self.frames, dict(self.names))
        for head, name, tree in steps:
            made = here.part(tree)
            if head == "ensure":
                p.ensure(name, made)
            else:
                here.names[name] = p.do(made) if head == "do" else p.query(made)
        if result is None:
            return p
        return p.returning(here.object(result[1]) if result[0] == "all" else here.result(result))


def compiled(tables: dict[str, Any], tree: Any) -> Any:
    here = Interpreter(tables, [], {})
    if tree[0] == "page":
        options = tree[2]
        return svc._compile_page(here.result(tree[1]), options["size"], options.get("after"), options.get("before"))
    return svc._compile(here.result(tree))


def canonical(value: Any) -> Any:
    """As JSON that is the same in every language."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"$int64": str(value)}
    if isinstance(value, float):
        if value == 0 and str(value) == "-0.0":
            return {"$float": "-0"}
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, bytes):
        return {"$bytes": base64.b64encode(value).decode()}
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, (list, tuple)):
        return [canonical(one) for one in value]
    if is_dataclass(value):
        return {name: canonical(getattr(value, name)) for name in value.__slots__}  # type: ignore[attr-defined]
    return {name: canonical(value[name]) for name in sorted(value)}
