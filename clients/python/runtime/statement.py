"""Statements that write, programs of several, and the tables that applications start from."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, TypeVar, overload

_New = TypeVar("_New")
_Patch = TypeVar("_Patch")
_Key = TypeVar("_Key")
_Unique = TypeVar("_Unique")

_STATEMENTS_MAX = 1_000
_GUARD = re.compile("[A-Za-z0-9_-]{1,57}", re.ASCII)


class _Write:
    """What a statement writes, by a query of the rows."""

    def __init__(self, kind: str, schema: _Schema, table: _Table, input: _Q, single: Literal["one", "maybe"] | None = None) -> None:
        self.kind = kind
        self.schema = schema
        self.table = table
        self.input = input
        #: Of at most one row: None without one, else the row.
        self.single: Literal["one", "maybe"] | None = single

    def rows(self) -> Any:
        """Its rows, for later statements of the program."""
        return Query("ref", (), {"schema": self.schema, "table": self.table, "statement": self})


class _Reading:
    """A query whose rows later statements read; a guard has a name."""

    def __init__(self, query: _Q, guard: str | None = None, of: _Write | None = None) -> None:
        self.query = query
        self.guard = guard
        #: Some statement of the table whose rows the query has, where they are those of several statements about it.
        self.of = of

    def rows(self) -> Any:
        if self.of is not None:
            return Query("ref", (), {"schema": self.of.schema, "table": self.of.table, "statement": self})
        return Query("refQuery", (), {"of": self.query, "statement": self})


_Arrange = Callable[[list[Any]], list[Any]]


class Write(Part[_A, Nested], Generic[_A, _R, _C]):
    """A statement that writes: A is its result, R a row of its table."""

    def __init__(self, statements: Sequence[_Write | _Reading], last: _Write | _Q, arrange: _Arrange | None = None) -> None:
        self._statements = statements
        #: One of the statements, or a query over them.
        self._last = last
        #: Rows of the answer in the order of the input.
        self._arrange = arrange

    def named(self, name: str) -> Write[_A, _R, _C]:
        """A name of the statement, for logs and spans."""
        [only, *more] = self._statements
        if more or not isinstance(only, _Write):
            raise BuildError("this is several statements: they cannot have one name")
        made = _Write(only.kind, only.schema, only.table, only.input._named(name), only.single)
        return Write([made], made, self._arrange)


class Done(Part[_A, Nested], Generic[_A, _R, _C]):
    """A statement of a program."""

    def __init__(self, statement: _Write | _Reading, arrange: _Arrange | None = None) -> None:
        self._statement = statement
        self._arrange = arrange

    @property
    def rows(self) -> Query[_R, _C]:
        """Its rows, for later statements of the program."""
        found: Query[_R, _C] = self._statement.rows()
        return found

    def _result(self) -> _Q:
        rows: Any = self._statement.rows()
        single = isinstance(self._statement, _Write) and self._statement.single is not None
        found: _Q = rows.first() if single else rows
        return found


class _Program(Part[_A, Nested], Generic[_A]):
    def __init__(self, statements: Sequence[_Write | _Reading], result: object) -> None:
        self._statements = statements
        self._result = result


class Program(Part[None, Nested]):
    """Statements in order: atomic, one round trip. `returning` says what is wanted of it."""

    def __init__(self) -> None:
        self._statements: list[_Write | _Reading] = []

    def _add(self, *statements: _Write | _Reading) -> None:
        if any(one is other for one in statements for other in self._statements):
            raise BuildError("a statement stands in a program once: make another one like it")
        self._statements.extend(statements)
        if len(self._statements) > _STATEMENTS_MAX:
            raise BuildError(f"a program of more than {_STATEMENTS_MAX} statements")

    def do(self, statement: Write[_A, _R, _C]) -> Done[_A, _R, _C]:
        """Adds a statement."""
        self._add(*statement._statements)
        last = statement._last
        if not isinstance(last, _Q):
            return Done(last, statement._arrange)
        # What several statements have written is a statement too.
        of = next(one for one in statement._statements if isinstance(one, _Write))
        whole = _Reading(last, None, of)
        self._add(whole)
        return Done(whole, statement._arrange)

    def query(self, query: Query[_R, _C]) -> Done[list[_R], _R, _C]:
        """Adds a query whose rows later statements read."""
        made = _Reading(query)
        self._add(made)
        return Done(made)

    def ensure(self, name: str, held: _Q | Done[Any, Any, Any] | Bool[Any]) -> None:
        """Undoes the program, with EnsureError, where there is no row, or the test is not TRUE."""
        if not _GUARD.fullmatch(name):
            raise BuildError(f"{_text(name)} is no name of a guard")
        of: Any = held._statement.rows() if isinstance(held, Done) else held
        if isinstance(of, _Ex):
            test = of
            of = _one_row()._where(lambda *_: test)
        if not isinstance(of, _Q):
            raise BuildError(f"{name}: rows or a test are wanted, not {_shown(of)}")
        # A division by zero where there is nothing, which undoes the program.
        counted = of._counted()
        self._add(_Reading(counted._select(lambda row: {"held": _literal("i", 1).div(row.n)}), name))

    @overload
    def returning(self, result: tuple[Part[_A, Any], Part[_B, Any]]) -> Part[tuple[_A, _B], Nested]: ...
    @overload
    def returning(self, result: tuple[Part[_A, Any], Part[_B, Any], Part[_F, Any]]) -> Part[tuple[_A, _B, _F], Nested]: ...
    @overload
    def returning(
        self, result: tuple[Part[_A, Any], Part[_B, Any], Part[_F, Any], Part[_G, Any]]
    ) -> Part[tuple[_A, _B, _F, _G], Nested]: ...
    @overload
    def returning(self, result: Part[_A, Any]) -> Part[_A, Nested]: ...
    @overload
    def returning(self, result: Mapping[str, Part[Any, Any]]) -> Part[dict[str, Any], Nested]: ...
    def returning(self, result: Any) -> Any:
        """The program with a result: what a statement did, a query over its statements, or several of them."""
        return _Program(tuple(self._statements), result)


@overload
def results(result: tuple[Part[_A, Any], Part[_B, Any]]) -> One[tuple[_A, _B]]: ...
@overload
def results(result: tuple[Part[_A, Any], Part[_B, Any], Part[_F, Any]]) -> One[tuple[_A, _B, _F]]: ...
@overload
def results(result: tuple[Part[_A, Any], Part[_B, Any], Part[_F, Any], Part[_G, Any]]) -> One[tuple[_A, _B, _F, _G]]: ...
@overload
def results(
    result: tuple[Part[_A, Any], Part[_B, Any], Part[_F, Any], Part[_G, Any], Part[_H, Any]],
) -> One[tuple[_A, _B, _F, _G, _H]]: ...
@overload
def results(result: Mapping[str, Part[Any, Any]]) -> One[dict[str, Any]]: ...
def results(result: Any) -> Any:
    """Several results beside each other: one round trip, one snapshot."""
    return _one_row()._select(lambda *_: result)


def _columns_of(table: _Table, row: Mapping[str, Any]) -> list[_Column]:
    for member in row:
        table.column(member)
    # What has no default is always there: few texts for many rows.
    return [column for column in table.columns if _given(row, column) is not UNSET or not column.has_default]


class Unset:
    """The type of UNSET."""

    def __repr__(self) -> str:
        return "UNSET"


#: A member of a new row that is as if it were not there: the column gets its default.
UNSET: Any = Unset()


def _given(row: Mapping[str, Any], column: _Column) -> Any:
    return row.get(column.member, UNSET)


def _rows_given(columns: Sequence[_Column], all: Iterable[Mapping[str, Any]], table: _Table) -> _Q:
    def cell(row: Mapping[str, Any], column: _Column) -> _Ex:
        value = _given(row, column)
        if value is UNSET:
            value = None
        if value is None and not column.nullable:
            raise BuildError(f"{table.name}.{column.name} is missing, and takes no NULL")
        found: _Ex = _literal(column.code, value)
        return found

    cells = [[cell(row, column) for column in columns] for row in all]
    made: _Q = _query("rows", (), {"columns": columns, "cells": cells})
    return made


def _key_text(columns: Sequence[_Column], row: Callable[[_Column], Any]) -> str:
    return "\0".join(_value_text(column.code, row(column), column.member) for column in columns)


def _arranged_as(table: _Table, all: Sequence[Mapping[str, Any]]) -> _Arrange | None:
    """None where some row leaves its key to the server."""
    key = table.key()
    if any(_given(row, column) is UNSET for row in all for column in key):
        return None
    places = {_key_text(key, lambda column: row[column.member]): i for i, row in enumerate(all)}  # noqa: B023

    def place(row: Any) -> int:
        read: Callable[[Any, str], Any] = operator.getitem if isinstance(row, dict) else getattr
        return places.get(_key_text(key, lambda column: read(row, column.member)), len(all))

    return lambda rows: sorted(rows, key=place)


def _key_of(table: _Table, members: Sequence[str]) -> list[_Column]:
    """Columns by which a row is found: rows that have the same values elsewhere are several."""
    found = [table.column(member) for member in members]
    if not any({one.name for one in found} == {one.name for one in table.key(i)} for i in range(len(table.keys))):
        keys = " | ".join(", ".join(one.member for one in table.key(i)) for i in range(len(table.keys)))
        raise BuildError(f"{table.name}: {', '.join(members) or 'nothing'} is no key: give {keys}")
    return found


def _by_key(table: _Table, key: object) -> Callable[[Any], _Ex]:
    if not isinstance(key, dict):
        [only, *more] = table.key()
        if more:
            raise BuildError(f"the key of {table.name} has several columns: give a dict")
        key = {only.member: key}
    given: dict[str, Any] = {**key}  # pyright: ignore
    for positions in table.keys:
        columns = [table.columns[i] for i in positions]
        if len(columns) == len(given) and all(column.member in given for column in columns):
            return lambda row: _equalities((row[column.member], given[column.member]) for column in columns)
    keys = " | ".join(", ".join(table.columns[i].member for i in positions) for positions in table.keys)
    raise BuildError(f"{', '.join(given) or 'nothing'} is no key of {table.name}: give {keys}")


def _written(table: _Table, values: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for member, value in values.items():
        column = table.column(member)
        if value is not UNSET:
            made[column.name] = value if isinstance(value, _Ex) else _literal(column.code, value)
    return made


def _assigned(table: _Table, set: Any, key_of: Callable[[tuple[Any, ...]], Any], by: Sequence[_Column] = ()) -> _Call:
    """The key of each row, and what is set: neither it, nor the columns that the row was found by."""
    found = [column.name for column in (*table.key(), *by)]
    if isinstance(set, dict):
        set = {**set}

    def fields(*args: Any) -> dict[str, Any]:
        values: Any = set(*args) if callable(set) else set
        entries = _written(table, values)
        if not entries:
            raise BuildError(f"{table.name}: nothing is set")
        row = key_of(args)
        keys = {column.name: row[column.member] for column in table.key()}
        for name in entries:
            if name in found:
                raise BuildError(f"{table.name}.{name} is of the key, which cannot be changed")
        return {**keys, **entries}

    return fields


class Table(TableRows[_R, _C, _O], Generic[_R, _C, _O, _New, _Patch, _Key, _Unique]):
    """All rows of a table, and what else can be done with it."""

    __slots__ = ("_schema", "_table")

    def __init__(self, schema: _Schema, at: int) -> None:
        self._schema = schema
        self._table = schema.tables[at]
        super().__init__("scan", (), {"schema": schema, "table": self._table})

    @property
    def cols(self) -> _C:
        """The columns as examples of their types, for `prepare`."""
        found: Any = _row_of(self._schema, self._table, lambda column: _make("like", (), column.code, column.nullable))
        return found  # type: ignore[no-any-return]

    def get(self, key: _Key | Num[Any, Any] | Text[Any] | Val[Any, Any]) -> Maybe[_R | None, _C]:
        """The row of the primary key, or None."""
        found: Maybe[_R | None, _C] = _query("where", (self,), {"predicate": _by_key(self._table, key)}, "maybe", True)
        return found

    def by(self, key: _Unique) -> Maybe[_R | None, _C]:
        """The row of a unique index, or None."""
        found: Maybe[_R | None, _C] = _query("where", (self,), {"predicate": _by_key(self._table, key)}, "maybe", True)
        return found

    def get_many(self, keys: Iterable[_Key]) -> TableRows[_R, _C, _O]:
        """The rows of the keys that are there: a look-up for each."""
        columns = self._table.key()
        given: list[Any] = [key if isinstance(key, dict) else {columns[0].member: key} for key in keys]
        parts = {"of": lambda row: {one.member: row[one.member] for one in columns}, "values": given}
        found: TableRows[_R, _C, _O] = _query("whereIn", (self,), parts)
        return found

    def insert(self, row: _New) -> Write[_R, _R, _C]:
        """The row as it is then."""
        given: Any = row
        made = _Write("create", self._schema, self._table, _rows_given(_columns_of(self._table, given), [given], self._table), "one")
        return Write([made], made)

    def insert_many(self, rows: Iterable[_New]) -> Write[list[_R], _R, _C]:
        """One create for each set of columns, all or nothing; in the order of the input where all rows have their keys."""
        all: list[Any] = list(rows)
        groups: dict[tuple[str, ...], list[Any]] = {}
        for row in all:
            groups.setdefault(tuple(column.name for column in _columns_of(self._table, row)), []).append(row)
        writes: list[_Write] = []
        for some in groups.values() or [[]]:
            columns = _columns_of(self._table, some[0] if some else {})
            writes.append(_Write("create", self._schema, self._table, _rows_given(columns, some, self._table)))
        arrange = _arranged_as(self._table, all)
        if len(writes) == 1:
            return Write(writes, writes[0], arrange)
        whole: Any = writes[0].rows()
        for write in writes[1:]:
            whole = whole.union(write.rows())
        return Write(writes, whole, arrange)

    def insert_from(self, rows: Rows[*_Sides], fields: Callable[[*_Sides], Mapping[str, Any]]) -> Write[list[_R], _R, _C]:
        """A new row for each row of the query."""
        return self._from("create", rows, fields)

    def update_from(self, rows: Rows[*_Sides], fields: Callable[[*_Sides], Mapping[str, Any]]) -> Write[list[_R], _R, _C]:
        """`fields` gives the key, and what is set."""
        return self._from("update", rows, fields)

    def _from(self, kind: str, rows: _Q, fields: _Call) -> Write[list[_R], _R, _C]:
        fields = _fixed(fields)
        input: _Q = rows._select(lambda *row: _written(self._table, fields(*row)))
        made = _Write(kind, self._schema, self._table, input)
        return Write([made], made)

    def insert_ignore(self, rows: Iterable[_New], on: Sequence[str] | None = None) -> Write[list[_R], _R, _C]:
        """Rows that are there stay as they are; the others are inserted, and come back."""
        return self._merge(rows, on, None, False)

    def upsert(
        self,
        rows: Iterable[_New],
        *,
        on: Sequence[str] | None = None,
        set: Sequence[str] | Callable[[_C, _C], _Patch] | None = None,
    ) -> Write[list[_R], _R, _C]:
        """Rows that are there are updated, the others inserted. `on`: the columns of the key, the primary key without it; `set`: which columns, or what they
        become, of the row that is there and the given one; all given ones without it."""
        return self._merge(rows, on, _fixed(set), True)

    def _merge(self, rows: Iterable[Any], on: Sequence[str] | None, set: Any, updates: bool) -> Write[list[_R], _R, _C]:
        table, all = self._table, list(rows)
        primary = table.key()
        key = primary if on is None else _key_of(table, on)
        columns = [one for one in table.columns if not one.has_default or any(_given(row, one) is not UNSET for row in all)]
        if not all:
            raise BuildError(f"{table.name}: no rows")
        for column in columns:
            if column.has_default and any(_given(row, column) is UNSET for row in all):
                what = f"{table.name}.{column.member} has a default, and is given for some rows only"
                raise BuildError(f"{what}: give it for all of them, or for none")
        for row in all:
            _columns_of(table, row)
            if any(_given(row, column) in (None, UNSET) for column in key):
                raise BuildError(f"{table.name}: all columns of the key are wanted")
        texts = {_key_text(key, lambda column: row[column.member]) for row in all}  # noqa: B023
        if len(texts) < len(all):
            raise BuildError(f"{table.name}: two rows of one key")
        input = _Reading(_rows_given(columns, all, table))

        def is_same(here: Any, there: Any) -> _Ex:
            found: _Ex = _equalities((here[column.member], there[column.member]) for column in key)
            return found

        others = [one for one in columns if one not in key and one not in primary]
        if set is None:
            # What no row gives is NULL in new rows, and stays as it is in those that are there.
            gives = [[_given(row, one) is not UNSET for row in all] for one in others]
            for one, found in zip(others, gives):
                if updates and any(found) and False in found:
                    raise BuildError(f"{table.name}.{one.member} is given for some rows only: say what to set")
            others = [one for one, found in zip(others, gives) if any(found)]
        elif not callable(set):
            known = [one.member for one in others]
            for member in [set] if isinstance(set, str) else set:
                if isinstance(set, str) or member not in known:
                    raise BuildError(f"{table.name}: set is a list of columns that are given and of no key, not {_shown(member)}")
            others = [one for one in others if one.member in set]

        def change(given: Any, current: Any) -> Any:
            return set(current, given) if callable(set) else {one.member: given[one.member] for one in others}

        def fresh(given: Any) -> _Ex:
            return self._where(lambda other: is_same(given, other)).exists().not_()  # type: ignore[no-any-return]

        created = _Write("create", self._schema, table, _Q("all", (input.rows()._where(fresh),)))
        if not updates:
            return Write([input, created], created)
        joined: Any = input.rows().join(self, is_same)
        updated = _Write("update", self._schema, table, joined._select(_assigned(table, change, lambda args: args[1], key)))
        return Write([input, updated, created], updated.rows().union(created.rows()))

    def _update(self, rows: _Q, set: Any, single: Literal["maybe"] | None) -> Any:
        input: _Q = rows._select(_assigned(self._table, _fixed(set), lambda args: args[0]))
        made = _Write("update", self._schema, self._table, input, single)
        return Write([made], made)

    def update(self, key: _Key, set: _Patch | Callable[[_C], _Patch]) -> Write[_R | None, _R, _C]:
        """The row as it is then; None without one."""
        found: Write[_R | None, _R, _C] = self._update(self.get(key), set, "maybe")
        return found

    def update_where(self, predicate: Callable[[_C], Expr[bool, Any]], set: _Patch | Callable[[_C], _Patch]) -> Write[list[_R], _R, _C]:
        """The rows for which the test is TRUE, as they are then."""
        found: Write[list[_R], _R, _C] = self._update(self._where(_fixed(predicate)), set, None)
        return found

    def _delete(self, rows: _Q, single: Literal["maybe"] | None) -> Any:
        columns = self._table.key()
        input: _Q = rows._select(lambda row: {column.name: row[column.member] for column in columns})
        made = _Write("delete", self._schema, self._table, input, single)
        return Write([made], made)

    def delete(self, key: _Key) -> Write[_R | None, _R, _C]:
        """The row as it was; None without one."""
        found: Write[_R | None, _R, _C] = self._delete(self.get(key), "maybe")
        return found

    def delete_where(self, predicate: Callable[[_C], Expr[bool, Any]]) -> Write[list[_R], _R, _C]:
        """The rows for which the test is TRUE, as they were."""
        found: Write[list[_R], _R, _C] = self._delete(self._where(_fixed(predicate)), None)
        return found


