"""Tables of the application's schema, as the generated module describes them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, is_typeddict


class _Column(NamedTuple):
    #: On the wire.
    name: str
    member: str
    code: str
    nullable: bool
    has_default: bool
    format: str | None = None


class _Relation(NamedTuple):
    member: str
    #: The table that it leads to, by position.
    table: int
    own: Sequence[int]
    theirs: Sequence[int]
    kind: _Card
    #: The table between: its columns that equal `own`, and those that equal `theirs`.
    through: tuple[int, Sequence[int], Sequence[int]] | None = None


class _Table(NamedTuple):
    name: str
    #: Rows of an answer as rows of the application.
    read: Callable[[Sequence[Any]], list[Any]]
    columns: Sequence[_Column]
    #: The primary key, then unique indexes: positions of columns.
    keys: Sequence[Sequence[int]]
    relations: Mapping[str, _Relation]
    by_member: Mapping[str, _Column]
    #: What of an answer's row is read, by its name.
    readers: Sequence[tuple[str, _Reader]]
    #: The text of each column by its own name, in front of and behind the scope.
    texts: Sequence[tuple[str, str]]

    def key(self, at: int = 0) -> list[_Column]:
        return [self.columns[i] for i in self.keys[at]]

    def column(self, member: str) -> _Column:
        for column in self.columns:
            if column.member == member:
                return column
        raise BuildError(f"{self.name} has no column {_text(member)}{_near(member, [one.member for one in self.columns])}")


class _Schema(NamedTuple):
    version: int
    hash: str
    tables: Sequence[_Table]


def _near(name: str, names: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, names, 1)
    return f": {found[0]}?" if found else ""


def schema_of(version: int, hash: str, tables: Sequence[tuple[Any, ...]]) -> _Schema:
    """What the generated module tells of its tables."""
    return _Schema(version, hash, [_table_of(*table) for table in tables])


def _table_of(
    name: str,
    row: Callable[..., Any],
    columns: Sequence[tuple[Any, ...]],
    keys: Sequence[Sequence[int]],
    relations: Sequence[tuple[Any, ...]],
) -> _Table:
    made = [_Relation(*relation) for relation in relations]
    shown = [_Column(*column) for column in columns]
    read = _dict_reader(shown) if is_typeddict(row) else _reader_for(row, shown)
    readers = [(one.name, reader) for one in shown if (reader := _reader_of(one.code)) is not None]
    names = [_text(one.name) for one in shown]
    texts = [(f'{{"as":{one},"expr":{{"kind":"col","scope":"', f'","column":{one}}}}}') for one in names]
    relations_by = {one.member: one for one in made}
    return _Table(name, read, shown, keys, relations_by, {one.member: one for one in shown}, readers, texts)


def _dict_reader(columns: Sequence[_Column]) -> Callable[[Sequence[Any]], list[Any]]:
    return _dicts([column.name for column in columns], [column.member for column in columns])


def _dicts(names: Sequence[str], members: Sequence[str]) -> Callable[[Sequence[Any]], list[Any]]:
    """The rows themselves, where they have these names and no others."""
    pairs = list(zip(members, names))
    if names != members:
        return lambda rows: [{member: row[name] for member, name in pairs} for row in rows]
    wanted = dict(pairs).keys()
    return lambda rows: [row if row.keys() == wanted else {name: row[name] for name in names} for row in rows]


def _reader_for(kind: Callable[..., Any], columns: Sequence[_Column]) -> Callable[[Sequence[Any]], list[Any]]:
    """Makes rows of a frozen class. Its own constructor sets each member by a call, which takes half of the time of an answer of many rows: here objects of
    a class of the same members that is not frozen are filled, and become the other one."""
    fields = getattr(kind, "__slots__", None)
    if not isinstance(kind, type) or not isinstance(fields, tuple):
        names = [column.name for column in columns]
        return lambda rows: [kind(*[row[name] for name in names]) for row in rows]
    lines = [f"one.{column.member} = row[{column.name!r}]" for column in columns]
    body = "\n        ".join(["one = filled()", *lines, "one.__class__ = kind", "add(one)"])
    text = f"def read(rows):\n    found = []\n    add = found.append\n    for row in rows:\n        {body}\n    return found"
    scope: dict[str, Any] = {"filled": type("_Filled", (), {"__slots__": fields}), "kind": kind}
    exec(text, scope)  # noqa: S102
    read: Callable[[Sequence[Any]], list[Any]] = scope["read"]
    return read
