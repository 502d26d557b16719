"""Queries as relations of LIR: text by the rules that make it the same in every language."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

_NODES_MAX = 10_000
_LIST_MAX = 16

#: Around the number of a value that is known when a prepared query runs; no text of JSON holds such a character.
_PARAM_MARK = "\x01"


class _Out(NamedTuple):
    """A column of what a relation gives."""

    name: str
    member: str
    ex: _Ex
    read: _Reader | None
    #: Nested rows are no value to compare or to order by.
    is_scalar: bool = True


_Rows = Callable[[Sequence[Any]], list[Any]]


class _Shape(NamedTuple):
    """What rows become: those of a table its class, others a tuple, one value, or a dict."""

    kind: str
    table: _Table | None = None
    schema: _Schema | None = None
    into: tuple[Callable[..., Any], ...] = ()

    def made(self, names: Sequence[str], members: Sequence[str]) -> _Rows:
        """From rows of an answer, whose columns have these names."""
        plain: _Rows
        if self.kind == "table" and self.table is not None:
            plain = self.table.read
        elif self.kind == "tuple" and len(names) > 1:
            of = operator.itemgetter(*names)
            plain = lambda rows: list(map(of, rows))  # noqa: E731
        elif self.kind == "tuple":
            plain = lambda rows: [(row[names[0]],) for row in rows]  # noqa: E731
        elif self.kind == "value":
            plain = lambda rows: [row[names[0]] for row in rows]  # noqa: E731
        else:
            plain = _dicts(names, members)
        for i, make in enumerate(self.into):
            # A row of a table is one thing, whatever it is made of.
            plain = _then(plain, make, is_whole=i == 0 and self.kind == "table")
        return plain


def _then(first: _Rows, make: Callable[..., Any], *, is_whole: bool) -> _Rows:
    def one(row: Any) -> Any:
        if isinstance(row, dict):
            return make(**row)
        return make(*row) if isinstance(row, tuple) else make(row)

    of = make if is_whole else one
    return lambda rows: [of(row) for row in first(rows)]


_DICT = _Shape("dict")


class _TableOut(Sequence[_Out]):
    """The columns of a table in a scope, each made when it is asked for. Of one document alone: a column that was kept from another one is not taken for one of
    these rows."""

    __slots__ = ("table", "scope", "owner", "made")

    def __init__(self, table: _Table, scope: str, owner: int) -> None:
        self.table = table
        self.scope = scope
        self.owner = owner
        self.made: dict[str, Any] = {}

    def ex(self, column: _Column) -> Any:
        found = self.made.get(column.name)
        if found is None:
            found = self.made[column.name] = _make("col", (self.scope, column.name, self.owner), column.code, column.nullable)
        return found

    def get(self, member: str) -> Any:
        column = self.table.by_member.get(member)
        return None if column is None else self.ex(column)

    def members(self) -> list[str]:
        return list(self.table.by_member)

    def __len__(self) -> int:
        return len(self.table.columns)

    def __getitem__(self, i: Any) -> Any:
        column = self.table.columns[i]
        return _out(column.name, column.member, self.ex(column))

    def all_fields(self) -> str:
        """Each column by its own name, as a projection has it."""
        scope = self.scope
        return ",".join([before + scope + behind for before, behind in self.table.texts])


class _Members(dict[str, Any]):
    """Columns of a row that is none of a table, by their names."""

    def members(self) -> list[str]:
        return list(self)


class Columns:
    """The columns of a row by their names, and the rows that belong to it."""

    __slots__ = ("_svc_columns", "_svc_related")

    def __init__(self, columns: _TableOut | _Members, related: Callable[[str], _Q | None]) -> None:
        self._svc_columns = columns
        self._svc_related = related

    def __getitem__(self, name: str) -> Any:
        """A column, or a relation, whose name is no attribute."""
        found: _Ex | _Q | None = self._svc_columns.get(name)
        if found is None:
            found = self._svc_related(name)
        if found is None:
            raise AttributeError(f"there is no column {name} in this row{_near(name, self._svc_columns.members())}")
        return found

    if not TYPE_CHECKING:
        # Checkers of types know the attributes by the generated classes, and no others.
        __getattr__ = __getitem__


class _Rel(NamedTuple):
    """A relation in a document."""

    node: str
    #: What callbacks of the next step are given.
    args: tuple[Any, ...]
    out: Sequence[_Out]
    #: Columns that no two rows share.
    key: Sequence[_Ex] | None
    shape: _Shape


def _at(rel: _Rel, node: str) -> _Rel:
    """The same columns behind another step."""
    return _Rel(node, rel.args, rel.out, rel.key, rel.shape)


def _rows_reader(rel: _Rel) -> _Reader:
    """Of many rows of an answer. They are changed on the way: nobody else has them."""
    if isinstance(rel.out, _TableOut):
        columns = rel.out.table.columns
        names, members, converted = [one.name for one in columns], [one.member for one in columns], rel.out.table.readers
    else:
        names, members = [out.name for out in rel.out], [out.member for out in rel.out]
        converted = [(out.name, out.read) for out in rel.out if out.read is not None]
    make = rel.shape.made(names, members)

    def is_fit(row: Any) -> bool:
        return isinstance(row, dict) and all(name in row for name in names)  # pyright: ignore

    def read(rows: Any) -> Any:
        try:
            for name, of in converted:
                for row in rows:
                    row[name] = of(row[name])
            return make(rows)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(rows, list) and all(is_fit(row) for row in rows):  # pyright: ignore
                raise
            raise DecodeError(f"the answer has no row of {', '.join(names)}") from error

    return read


def _one_reader(read: _Reader, card: _Card, what: str) -> _Reader:
    def read_one(row: Any) -> Any:
        if row is not None:
            return read([row])[0]
        if card == "maybe":
            return None
        raise BuildError(f"{what}: there is no row, against what the schema promises")

    return read_one


_documents = itertools.count()

#: The prepared operation that is being made text, whose values are told then.
_preparing: ContextVar[object] = ContextVar("_preparing", default=None)


class _Doc:
    """One relation under way."""

    def __init__(self, statements: Mapping[int, str], is_probe: bool = False) -> None:
        #: Steps by node, for messages about a place in the text.
        self.steps: dict[str, str] = {}
        #: Names of the statements that queries refer to, by identity.
        self.statements = statements
        #: Only the columns are asked for: what rows of statements are called does not matter.
        self.is_probe = is_probe
        self.plain: list[str] = []
        self.valued: list[str] = []
        self.bindings: list[str] = []
        self.known: dict[int, str] = {}
        self.count = 0
        self.labels = 0
        self.bound = 0
        #: The node whose expressions are being written has a literal.
        self.has_value = False
        self.depth = 0
        #: What columns of its own have for an owner.
        self.id = next(_documents)
        #: A column of rows of another document.
        self.stray: str | None = None

    def text(self, node: str, cardinality: str) -> str:
        """The whole relation, with the node at its root."""
        if self.count > _NODES_MAX:
            raise BuildError(f"a query of more than {_NODES_MAX} nodes")
        if self.stray is not None:
            raise BuildError(f"{self.stray}: a column of rows that are not at hand here")
        bindings = f'"bindings":{{{",".join(self.bindings)}}},' if self.bindings else ""
        nodes = ",".join(self.plain + self.valued)
        return f'{{"root":{{"node":"{node}","cardinality":"{cardinality}"}},{bindings}"nodes":{{{nodes}}}}}'

    def label(self) -> str:
        self.labels += 1
        return f"s{self.labels - 1}"

    def binding(self) -> str:
        self.bound += 1
        return f"b{self.bound - 1}"

    def node(self, kind: str, write: Callable[[], str]) -> str:
        """Numbered once what it reads is. `write` gives the members behind `kind`."""
        outside = self.has_value
        self.has_value = kind == "rows"
        members = write()
        id = f"n{self.count}"
        self.count += 1
        (self.valued if self.has_value else self.plain).append(f'"{id}":{{"kind":"{kind}",{members}}}')
        self.steps[id] = kind
        self.has_value = outside
        return id

    def shaped(self, q: _Q) -> _Rel:
        """An ordered query with named columns, as answers and crossings have it."""
        return self.explicit(q if q._card == "one" and q._single else _ordered(q))

    def explicit(self, q: _Q) -> _Rel:
        return self.rel(q if _is_explicit(q) else _Q("all", (q,)))

    def rel(self, q: _Q) -> _Rel:
        self.depth += 1
        if self.depth > 200 or self.count > _NODES_MAX:
            raise BuildError(f"a query of more than {_NODES_MAX} nodes, or 200 within each other")
        found: _Rel = getattr(self, f"_{q._op}")(q, q._parts)
        self.depth -= 1
        return found

    def _scan(self, _: _Q, parts: Mapping[str, Any]) -> _Rel:
        scope = self.label()
        table: _Table = parts["table"]
        node = self.node("scan", lambda: f'"table":{_text(table.name)},"scope":"{scope}"')
        return _table_rel(node, parts["schema"], table, scope, self.id)

    def _statement(self, of: object) -> str:
        name = self.statements.get(id(of))
        if name is None and not self.is_probe:
            raise BuildError("rows of a statement belong to its program")
        return name or ""

    def _reference(self, kind: str, binding: str) -> tuple[str, str]:
        scope = self.label()
        return self.node(kind, lambda: f'"binding":{_text(binding)},"scope":"{scope}"'), scope

    def _ref(self, _: _Q, parts: Mapping[str, Any]) -> _Rel:
        node, scope = self._reference("ref", self._statement(parts["statement"]))
        return _table_rel(node, parts["schema"], parts["table"], scope, self.id)._replace(key=None)

    def _refQuery(self, _: _Q, parts: Mapping[str, Any]) -> _Rel:
        binding = self._statement(parts["statement"])
        inner = _Doc(self.statements, self.is_probe).shaped(parts["of"])
        return _scoped(*self._reference("ref", binding), self.id, inner, inner.out)

    def _rows(self, _: _Q, parts: Mapping[str, Any]) -> _Rel:
        return self.rows(parts["columns"], parts["cells"])

    def rows(self, columns: Sequence[_Column], cells: Sequence[Sequence[_Ex]]) -> _Rel:
        scope = self.label()

        def write() -> str:
            heads = [
                f'{{"name":{_text(column.name)},"type":"{_TYPES[column.code]}"{_NULLABLE * column.nullable}}}' for column in columns
            ]
            lines = [f"[{','.join(_cell_text(cell, columns[i].name) for i, cell in enumerate(row))}]" for row in cells]
            return f'"scope":"{scope}","columns":[{",".join(heads)}],"rows":[{",".join(lines)}]'

        node = self.node("rows", write)
        out = [_out(column.name, column.member, _make("col", (scope, column.name, self.id), column.code, column.nullable)) for column in columns]
        return _Rel(node, (_members(out),), out, None, _DICT)

    def _same(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        make = parts.get("into")
        if make is None:
            return input
        return input._replace(shape=input.shape._replace(into=(*input.shape.into, make)))

    def _where(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        return self.filter(input, lambda: parts["predicate"](*input.args))

    def filter(self, input: _Rel, predicate: Callable[[], object]) -> _Rel:
        def write() -> str:
            test = predicate()
            if not isinstance(test, _Ex) or test._code != "b":
                raise BuildError("where wants a truth value")
            return f'"input":"{input.node}","predicate":{self.ex(test)}'

        return _at(input, self.node("filter", write))

    def _order(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        by = parts.get("terms")
        if by is not None:
            return self.sorted(input, _terms_of(by(*input.args)))
        keys = input.key if input.key is not None else [out.ex for out in input.out if out.is_scalar]
        return self.sorted(input, [Term(ex, False) for ex in keys])

    def sorted(self, input: _Rel, terms: Sequence[Term]) -> _Rel:
        def write() -> str:
            texts = [f'{{"expr":{self.ex(term._ex)}{_DESC * term._desc}}}' for term in terms]
            return f'"input":"{input.node}","terms":[{",".join(texts)}]'

        return _at(input, self.node("order", write))

    def _slice(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(_ordered(q._inputs[0]))

        def write() -> str:
            offset, limit = parts["offset"], parts["limit"]
            members = [f'"input":"{input.node}"']
            if offset is not None:
                members.append(f'"offset":{offset}')
            if limit is not None:
                members.append(f'"limit":{limit}')
            return ",".join(members)

        return _at(input, self.node("slice", write))

    def cut(self, input: _Rel, limit: int) -> _Rel:
        return _at(input, self.node("slice", lambda: f'"input":"{input.node}","limit":{limit}'))

    def _all(self, q: _Q, _: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        return _at(input, self.all(input, ""))

    def all(self, input: _Rel, scope: str) -> str:
        """All columns, one by one."""
        out = input.out
        if isinstance(out, _TableOut):
            return self.node("project", lambda: f'"input":"{input.node}",{scope}"fields":[{out.all_fields()}]')
        if len({one.name for one in out}) < len(out):
            raise BuildError("both sides of the join have a column of one name: use select")

        def write() -> str:
            fields = [f'{{"as":{_text(one.name)},"expr":{self.ex(one.ex)}}}' for one in out]
            return f'"input":"{input.node}",{scope}"fields":[{",".join(fields)}]'

        return self.node("project", write)

    def _select(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        return self.project(input, parts["fields"](*input.args))

    def project(self, input: _Rel, fields: object) -> _Rel:
        entries, shape = _entries_of(fields, "select")
        if not entries:
            raise BuildError("select wants one field at least")
        scope = self.label()
        out: list[_Out] = []

        def write() -> str:
            texts: list[str] = []
            for name, value in entries:
                text, read, ex = self._field(name, value)
                code, nullable = (ex._code, ex._nullable) if ex is not None else ("t", True)
                # Nested rows that are passed on are read as they would have been.
                nested = () if ex is not None else (read,)
                column = _make("col", (scope, name, self.id, *nested), code, nullable)
                out.append(_Out(name, name, column, read, ex is not None))
                texts.append(f'{{"as":{_text(name)},"expr":{text}}}')
            return f'"input":"{input.node}","scope":"{scope}","fields":[{",".join(texts)}]'

        node = self.node("project", write)
        return _Rel(node, _args(out, shape), out, None, shape)

    def _field(self, name: str, value: object) -> tuple[str, _Reader | None, _Ex | None]:
        """A value of a projection: an expression, or nested rows."""
        if isinstance(value, _Ex):
            if value._op == "col" and len(value._args) > 3:
                return self.ex(value), value._args[3], None
            return self.ex(value), _reader_of(value._code), value
        if isinstance(value, Done):
            value = value._result()
        if isinstance(value, _Q):
            if _asks_for_one(value):
                raise BuildError(f"{name}: one() holds for a whole result only: use first(), or ensure of a program")
            inner = self.shaped(value)
            read = _rows_reader(inner)
            if value._card == "many":
                return f'{{"kind":"array","node":"{inner.node}"}}', read, None
            return f'{{"kind":"first","node":"{inner.node}"}}', _one_reader(read, value._card, name), None
        raise BuildError(f"{name} is neither an expression nor a query: use lit(type, value)")

    def _join(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        a, b = self.rel(q._inputs[0]), self.rel(q._inputs[1])
        sides = (*a.args, b.args[0])

        def write() -> str:
            test = self.ex(parts["on"](*sides))
            return f'"left":"{a.node}","right":"{b.node}","join":"{parts["join"]}","on":{test}'

        node = self.node("join", write)
        other = b.out
        if parts["join"] == "left":
            other = [_nullable(out) for out in other]
            sides = (*a.args, _members(other))
        key = None if a.key is None or b.key is None else [*a.key, *b.key]
        return _Rel(node, sides, [*a.out, *other], key, _DICT)

    def _group(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        scope = self.label()
        keys, folds = parts["keys"], parts["folds"]
        entries, shape = _entries_of(keys(*input.args) if keys else {}, "group")
        places = [name for name, _ in entries] if folds is None else []
        aggregates: list[tuple[str, Any]] = []
        if folds is not None:
            aggregates, folded = _entries_of(folds(*input.args), "fold")
            shape = folded if keys is None else shape
        else:
            # Fields that fold are told from those that are keys by what they are.
            aggregates = [one for one in entries if _is_fold(one[1])]
            entries = [one for one in entries if not _is_fold(one[1])]
        out: list[_Out] = []

        def add(name: str, ex: _Ex) -> str:
            out.append(_out(name, name, _make("col", (scope, name, self.id), ex._code, ex._nullable)))
            return _text(name)

        def write() -> str:
            groups: list[str] = []
            for name, ex in entries:
                if not isinstance(ex, _Ex):
                    raise BuildError(f"{name} is no expression")
                as_ = add(name, ex)
                groups.append(f'{{"expr":{self.ex(ex)},"as":{as_}}}')
            aggs: list[str] = []
            for name, ex in aggregates:
                if not isinstance(ex, _Ex) or ex._op != "fold":
                    raise BuildError(f"{name} is no count, sum_, avg, min_ or max_")
                fn, of = ex._args
                as_ = add(name, ex)
                arg = "" if of is None else f',"arg":{self.ex(of)}'
                aggs.append(f'{{"fn":"{fn}","as":{as_}{arg}}}')
            if not groups and not aggs:
                raise BuildError("group wants a key or a fold")
            some = [f'"groups":[{",".join(groups)}]'] * bool(groups) + [f'"aggs":[{",".join(aggs)}]'] * bool(aggs)
            return ",".join([f'"input":"{input.node}"', f'"scope":"{scope}"', *some])

        node = self.node("aggregate", write)
        key = [one.ex for one in out[: len(entries)]] if keys else None
        if places:
            # Rows have their values in the order in which they were asked for.
            by_name = {one.name: one for one in out}
            out = [by_name[name] for name in places]
        return _Rel(node, _args(out, shape), out, key, shape)

    def _distinct(self, q: _Q, _: Mapping[str, Any]) -> _Rel:
        input = self.rel(q._inputs[0])
        if not _is_explicit(q._inputs[0]):
            # Rows behind this step are seen by its own scope only.
            scope = self.label()
            input = _scoped(self.all(input, f'"scope":"{scope}",'), scope, self.id, input, input.out)
        return _at(input, self.node("distinct", lambda: f'"input":"{input.node}"'))

    def _set(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        a, b = self.explicit(q._inputs[0]), self.explicit(q._inputs[1])
        kind = parts["kind"]
        is_union = kind == "concatenate"
        _same_columns(a, b, "union" if is_union else kind)
        scope = self.label()
        if is_union:
            node = self.node(kind, lambda: f'"inputs":["{a.node}","{b.node}"],"scope":"{scope}"')
            return _scoped(node, scope, self.id, a, _widened(a, b))
        quantifier = "all" if parts["all"] else "distinct"
        node = self.node(kind, lambda: f'"left":"{a.node}","right":"{b.node}","quantifier":"{quantifier}","scope":"{scope}"')
        return _scoped(node, scope, self.id, a, a.out)

    def _shared(self, q: _Q, _: Mapping[str, Any]) -> _Rel:
        first = q._inputs[0]
        name = self.known.get(id(first))
        if name is None:
            inner = self.shaped(first)
            name = self.binding()
            self.known[id(first)] = name
            self.bindings.append(f'"{name}":{{"kind":"derived","node":"{inner.node}"}}')
        else:
            inner = _Doc(self.statements, self.is_probe).shaped(first)
        return _scoped(*self._reference("ref", name), self.id, inner, inner.out)

    def _recursive(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        name = self.binding()
        self.known[id(parts["self"])] = name
        anchor = self.explicit(q._inputs[0])
        step = self.explicit(q._inputs[1])
        _same_columns(anchor, step, "the step of a recursion")
        accumulation = parts["accumulation"]
        self.bindings.append(
            f'"{name}":{{"kind":"recursive","anchor":"{anchor.node}","step":"{step.node}","accumulation":"{accumulation}"}}'
        )
        return _scoped(*self._reference("ref", name), self.id, anchor, _widened(anchor, step))

    def _self(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        name = self.known.get(id(q))
        if name is None and not self.is_probe:
            raise BuildError("the rows of a recursion belong into its step")
        anchor = _Doc(self.statements, self.is_probe).explicit(parts["of"])
        return _scoped(*self._reference("recursive_ref", name or ""), self.id, anchor, anchor.out)

    def _page(self, _: _Q, parts: Mapping[str, Any]) -> _Rel:
        found: _Rel = parts["build"](self)
        return found

    def _whereIn(self, q: _Q, parts: Mapping[str, Any]) -> _Rel:
        """The values as rows that the query is joined with: a lookup by key for each."""
        input = self.rel(q._inputs[0])
        of = parts["of"](*input.args)
        exs: dict[str, _Ex] = {"v": of} if isinstance(of, _Ex) else of
        cells = [
            [_literal(ex._code, value if isinstance(of, _Ex) else value.get(name)) for name, ex in exs.items()]
            for value in _padded(parts["values"])
        ]
        columns = [_Column(name, name, ex._code, False, False) for name, ex in exs.items()]
        list = self.rows(columns, cells)
        distinct = self.node("distinct", lambda: f'"input":"{list.node}"')

        def write() -> str:
            test = _equalities((list.out[i].ex, ex) for i, ex in enumerate(exs.values()))
            return f'"left":"{distinct}","right":"{input.node}","join":"inner","on":{self.ex(test)}'

        return _at(input, self.node("join", write))

    def ex(self, ex: object) -> str:
        if not isinstance(ex, _Ex):
            raise BuildError("an expression is wanted")
        op, args = ex._op, ex._args
        if op == "col":
            if args[2] != self.id:
                # Scopes of all documents are called alike: the column would be that of other rows.
                self.stray = args[1]
            return f'{{"kind":"col","scope":"{args[0]}","column":{_text(args[1])}}}'
        if op == "lit":
            self.has_value = True
            return f'{{"kind":"lit","value":{_literal_text(ex._code, args[0], "a literal")}}}'
        if op == "param":
            if args[1] is not _preparing.get():
                raise BuildError("a value of a prepared operation stands in another one, or in none")
            self.has_value = True
            return f'{{"kind":"lit","value":{_PARAM_MARK}{args[0]}{_PARAM_MARK}}}'
        if op == "unary":
            return f'{{"kind":"unary","op":"{args[0]}","expr":{self.ex(args[1])}}}'
        if op == "binary":
            return f'{{"kind":"binary","op":"{args[0]}","left":{self.ex(args[1])},"right":{self.ex(args[2])}}}'
        if op == "as":
            return self.ex(args[0])
        if op == "cast":
            return f'{{"kind":"cast","expr":{self.ex(args[0])},"to":"{args[1]}"}}'
        if op == "branch":
            texts = [f'{{"when":{self.ex(test)},"then":{self.ex(then)}}}' for test, then in args[0]]
            return f'{{"kind":"branch","branches":[{",".join(texts)}],"else":{self.ex(args[1])}}}'
        if op == "coalesce":
            return f'{{"kind":"coalesce","args":[{",".join(self.ex(one) for one in args)}]}}'
        if op == "text_match":
            return self._text_match(*args)
        if op == "in":
            return self._among(*args)
        if op == "exists":
            return f'{{"kind":"exists","node":"{self.rel(args[0]).node}"}}'
        if op == "scalar":
            q, of, is_fold = args
            only = q if is_fold or q._single else _Q("slice", (q,), {"offset": None, "limit": 1})
            if of is not None:
                only = _Q("select", (only,), {"fields": lambda *row: {"v": of(*row)}})
            return f'{{"kind":"scalar","node":"{self.rel(only).node}"}}'
        if op == "fold":
            raise BuildError("count, sum_, avg, min_ and max_ stand in group and fold")
        raise BuildError("columns of a table itself are for prepare: use those that callbacks are given")

    def _text_match(self, of: _Ex, parts: Sequence[str], fold: bool) -> str:
        self.has_value = True
        if not parts:
            return self.ex(_compare("eq", of, ""))
        comparison = ',"comparison":"unicode_simple_fold"' if fold else ""
        return f'{{"kind":"text_match","value":{self.ex(of)},"parts":[{",".join(parts)}]{comparison}}}'

    def _among(self, value: _Ex, values: Sequence[_Ex]) -> str:
        """FALSE for NULL, however many values there are."""
        if not values:
            return self.ex(_literal("b", False))
        all = _padded(values)
        if len(all) > _LIST_MAX:
            # Whether the list has a row that equals.
            list = self.rows([_Column("v", "v", value._code, False, False)], [[one] for one in all])
            found = self.filter(list, lambda: _compare("eq", value, list.out[0].ex))
            return f'{{"kind":"exists","node":"{found.node}"}}'
        tests = [_compare("eq", value, one) for one in all]
        any: Any = reduce(lambda left, right: _compare("or", left, right), tests)
        return self.ex(_all_of([_test("is_not_null", value), any]) if value._nullable else any)


def _is_fold(of: object) -> bool:
    return isinstance(of, _Ex) and of._op == "fold"


_NULLABLE = ',"nullable":true'
_DESC = ',"desc":true'


def _entries_of(fields: object, what: str) -> tuple[list[tuple[str, Any]], _Shape]:
    """What a callback has given as fields by name, and what rows of them become."""
    if isinstance(fields, dict):
        return list(fields.items()), _DICT  # pyright: ignore
    if isinstance(fields, (list, tuple)):
        return [(f"c{i}", field) for i, field in enumerate(fields)], _Shape("tuple")  # pyright: ignore
    if isinstance(fields, (_Ex, _Q, Done)):
        return [("c0", fields)], _Shape("value")
    raise BuildError(f"{what} wants expressions and queries: one, a tuple of them, or a dict")


def _args(out: Sequence[_Out], shape: _Shape) -> tuple[Any, ...]:
    if shape.kind == "value":
        return (out[0].ex,)
    if shape.kind == "tuple":
        return (tuple(one.ex for one in out),)
    return (_members(out),)


def _members(out: Sequence[_Out]) -> Columns:
    return Columns(_Members({one.member: one.ex for one in out}), lambda _: None)


def _padded(values: Sequence[Any]) -> Sequence[Any]:
    """Up to the next power of two by the last one: few texts for many lengths."""
    if not values:
        return values
    size = 1 << (len(values) - 1).bit_length()
    return [*values, *[values[-1]] * (size - len(values))]


def _literal_text(code: str, value: object, what: str) -> str:
    if value is None:
        return f'{{"type":"{_TYPES[code]}"}}'
    return f'{{"type":"{_TYPES[code]}","value":{_value_text(code, value, what)}}}'


def _cell_text(cell: _Ex, name: str) -> str:
    if cell._op != "lit":
        raise BuildError(f"{name}: rows take values, not expressions")
    if cell._args[0] is None:
        return "null"
    text = _value_text(cell._code, cell._args[0], name)
    return f'"{text}"' if cell._code == "b" else text


def _out(name: str, member: str, ex: _Ex) -> _Out:
    return _Out(name, member, ex, _reader_of(ex._code))


def _nullable(out: _Out) -> _Out:
    ex = out.ex
    return out._replace(ex=_make(ex._op, ex._args, ex._code, True))


def _scoped(node: str, scope: str, owner: int, like: _Rel, columns: Iterable[_Out]) -> _Rel:
    """The same columns by another scope, of the owner."""
    out = [one._replace(ex=_make("col", (scope, one.name, owner, *one.ex._args[3:]), one.ex._code, one.ex._nullable)) for one in columns]
    shape = like.shape
    if shape.table is not None and shape.schema is not None:
        by_name = {one.name: one.ex for one in out}
        args: tuple[Any, ...] = (_row_of(shape.schema, shape.table, lambda column: by_name[column.name]),)
    else:
        args = _args(out, shape)
    return _Rel(node, args, out, None, shape)


def _widened(a: _Rel, b: _Rel) -> list[_Out]:
    """Nullable where either is."""
    return [_nullable(out) if b.out[i].ex._nullable else out for i, out in enumerate(a.out)]


def _same_columns(a: _Rel, b: _Rel, what: str) -> None:
    left, right = (", ".join(f"{out.name} {_TYPES[out.ex._code]}" for out in rel.out) for rel in (a, b))
    if left != right:
        raise BuildError(f"{what} wants the same columns: {left}, not {right}")


def _table_rel(node: str, schema: _Schema, table: _Table, scope: str, owner: int) -> _Rel:
    out = _TableOut(table, scope, owner)
    row = Columns(out, _relations_of(schema, table, out.ex))
    return _Rel(node, (row,), out, [out.ex(column) for column in table.key()], _Shape("table", table, schema))


def _relations_of(schema: _Schema, table: _Table, own: Callable[[_Column], _Ex]) -> Callable[[str], _Q | None]:
    """Queries for the rows that belong to a row, each made when it is asked for."""

    def related(name: str) -> _Q | None:
        relation = table.relations.get(name)
        return None if relation is None else _related(schema, table, relation, own)

    return related


def _row_of(schema: _Schema, table: _Table, own: Callable[[_Column], _Ex]) -> Columns:
    """The columns of a table in another relation."""
    return Columns(_Members({column.member: own(column) for column in table.columns}), _relations_of(schema, table, own))


def _related(schema: _Schema, table: _Table, relation: _Relation, own: Callable[[_Column], _Ex]) -> _Q:
    target = schema.tables[relation.table]
    rows: _Q = _query("scan", (), {"schema": schema, "table": target})
    mine = [own(table.columns[i]) for i in relation.own]

    def pairs(there: Columns, columns: Sequence[_Column], values: Sequence[_Ex]) -> _Ex:
        found: _Ex = _equalities((there[column.member], values[i]) for i, column in enumerate(columns))
        return found

    theirs = [target.columns[i] for i in relation.theirs]
    if relation.through is None:
        parts = {"predicate": lambda there: pairs(there, theirs, mine)}  # pyright: ignore
        found: _Q = _query("where", (rows,), parts, relation.kind, relation.kind != "many")
        return found
    between, to_us, to_them = relation.through
    middle = schema.tables[between]
    links: _Q = _query("scan", (), {"schema": schema, "table": middle})

    def predicate(there: Columns) -> _Ex:
        def is_link(link: Columns) -> _Ex:
            ours = pairs(link, [middle.columns[i] for i in to_us], mine)
            return _compare("and", ours, pairs(link, [middle.columns[i] for i in to_them], [there[one.member] for one in theirs]))

        return Bool("exists", (links._where(is_link),), "b", False)

    through: _Q = _query("where", (rows,), {"predicate": predicate})
    return through
