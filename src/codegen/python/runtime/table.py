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
    #: A row of values in the order of the columns.
    read: Callable[[Sequence[Any]], Any]
    columns: Sequence[_Column]
    #: The primary key, then unique indexes: positions of columns.
    keys: Sequence[Sequence[int]]
    relations: Mapping[str, _Relation]

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
    read = _dict_reader(shown) if is_typeddict(row) else _reader_for(row)
    return _Table(name, read, shown, keys, {one.member: one for one in made})


def _dict_reader(columns: Sequence[_Column]) -> Callable[[Sequence[Any]], Any]:
    members = [column.member for column in columns]
    return lambda values: dict(zip(members, values))


def _reader_for(row: Callable[..., Any]) -> Callable[[Sequence[Any]], Any]:
    """Makes rows of a frozen class. Its own constructor sets each member by a call, which takes half of the time of an answer of many rows: here a class of
    the same members that is not frozen is filled, and becomes the other one."""
    fields = getattr(row, "__slots__", None)
    if not isinstance(row, type) or not isinstance(fields, tuple):
        return lambda values: row(*values)
    lines = "".join(f"\n    _row.{name} = {name}" for name in fields)  # pyright: ignore
    scope: dict[str, Any] = {}
    exec(f"def fill(_row, /, {', '.join(fields)}):{lines or ' pass'}", scope)  # noqa: S102  # pyright: ignore
    made: Any = type("_Filled", (), {"__slots__": fields, "__init__": scope["fill"]})

    def read(values: Sequence[Any]) -> Any:
        found = made(*values)
        found.__class__ = row
        return found

    return read
