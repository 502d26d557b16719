"""Queries: immutable values that say what is wanted. Callbacks run when a query is compiled, with the variables of the moment when the step was made, and
with fresh columns each time: one query may stand in a document twice, be joined with itself, and use the columns of any row around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, NoReturn, Self, TypeVar, TypeVarTuple

_R = TypeVar("_R")
_C = TypeVar("_C")
_O = TypeVar("_O")
_Sides = TypeVarTuple("_Sides")
_Ts = TypeVarTuple("_Ts")
_A = TypeVar("_A")
_AS = TypeVar("_AS")
_B = TypeVar("_B")
_BS = TypeVar("_BS")
_CS = TypeVar("_CS")
_DS = TypeVar("_DS")
_ES = TypeVar("_ES")
_F = TypeVar("_F")
_FS = TypeVar("_FS")
_G = TypeVar("_G")
_GS = TypeVar("_GS")
_H = TypeVar("_H")
_HS = TypeVar("_HS")
_I = TypeVar("_I")
_IS = TypeVar("_IS")
_J = TypeVar("_J")
_JS = TypeVar("_JS")
_K = TypeVar("_K")
_KS = TypeVar("_KS")
_L = TypeVar("_L")
_LS = TypeVar("_LS")

_Card = Literal["many", "maybe", "one"]
_NAME = re.compile("[A-Za-z0-9_-]{1,64}", re.ASCII)


class Nested:
    """What callbacks are given for nested rows: nothing to compare or to order by."""


class _Q:
    """`op` and its parts; `inputs` are queries."""

    __slots__ = ("_op", "_inputs", "_parts", "_card", "_single", "_name")

    _op: str
    _inputs: tuple[_Q, ...]
    _parts: Mapping[str, Any]
    _card: _Card
    #: Proven by key: no order is needed.
    _single: bool
    _name: str | None

    def __init__(
        self,
        op: str,
        inputs: tuple[_Q, ...] = (),
        parts: Mapping[str, Any] | None = None,
        card: _Card | None = None,
        single: bool | None = None,
        name: str | None = None,
    ) -> None:
        first = inputs[0] if inputs else None
        self._op = op
        self._inputs = inputs
        self._parts = parts or {}
        self._card = card or ("many" if first is None else first._card)
        self._single = single if single is not None else first is not None and first._single
        self._name = name or (None if first is None else first._name)

    def _on(self, op: str, parts: Mapping[str, Any] | None = None, card: _Card | None = None, single: bool | None = None) -> Any:
        """The step on top of this one."""
        return self._like(card)(op, (self,), parts, card, single)

    def _like(self, card: _Card | None = None) -> Any:
        """The class of steps on top of this one."""
        return {"many": Joined if isinstance(self, Joined) else Query, "maybe": Maybe, "one": One}[card or self._card]

    def _many(self, op: str, parts: Mapping[str, Any] | None = None, other: _Q | None = None) -> Any:
        """The step of many rows, on top of one query or of two."""
        inputs = (self,) if other is None else (self, other)
        return (Joined if op == "join" else Query)(op, inputs, parts, "many", False)

    def _slice(self, limit: int | None, offset: int | None) -> Any:
        for value in (limit, offset):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53):  # pyright: ignore
                raise BuildError(f"{value} is no count of rows")
        # limit(…) of an offset(…) is one step.
        if limit is not None and self._op == "slice" and self._parts["limit"] is None:
            parts = {**self._parts, "limit": limit}
            return self._like()("slice", self._inputs, parts, self._card, self._single, self._name)
        return self._on("slice", {"offset": offset, "limit": limit})

    def _select(self, fields: _Call) -> Any:
        made = {"many": Query, "maybe": Maybe, "one": One}[self._card]
        return made("select", (self,), {"fields": fields})

    def _group(self, keys: _Call | None, folds: _Call | None) -> Any:
        if keys is not None:
            return self._many("group", {"keys": keys, "folds": folds})
        return One("group", (self,), {"keys": None, "folds": folds}, "one", True)

    def _counted(self, code: str = "i") -> Any:
        return self._group(None, lambda *_: {"n": _fold("count", None, code)})

    def _named(self, name: str) -> Any:
        if not _NAME.fullmatch(name) or name.startswith("ensure_"):
            raise BuildError(f"{_text(name)} is no name: letters, digits, _ and -, at most 64, not ensure_…")
        return self._like()("same", (self,), {}, self._card, self._single, name)

    def _where(self, predicate: _Call) -> Any:
        return self._on("where", {"predicate": predicate}, "maybe" if self._card == "one" else self._card)

    def _looked_up(self, parts: Mapping[str, Any]) -> Any:
        """Below an order: rows that are looked up by values come in none."""
        if not _is_ordered_by(self) or self._op not in ("order", "where", "same"):
            return self._on("whereIn", parts)
        return type(self)(self._op, (self._inputs[0]._looked_up(parts),), self._parts, self._card, self._single, self._name)

    def _value(self, of: _Call) -> Any:
        of = _fixed(of)
        like = of(*_Doc({}, True).rel(self).args)
        return _make("scalar", (self, of, False), like._code, True)

    def __bool__(self) -> NoReturn:
        raise BuildError("a query has no truth value here: use exists()")

    def exists(self) -> Bool[bool]:
        """TRUE where there is a row."""
        return Bool("exists", (self,), "b", False)


def _query(op: str, inputs: tuple[_Q, ...] = (), parts: Mapping[str, Any] | None = None, card: _Card = "many", single: bool = False) -> Any:
    made = {"many": Query, "maybe": Maybe, "one": One}[card]
    return made(op, inputs, parts, card, single)


class Rows(_Q, Generic[*_Sides]):
    """Many rows; callbacks are given the columns of each side."""

    __slots__ = ()

    def where(self, predicate: Callable[[*_Sides], Expr[bool, Any]]) -> Self:
        """The rows for which the test is TRUE."""
        found: Self = self._where(_fixed(predicate))
        return found

    def order_by(self, terms: Callable[[*_Sides], Term | Expr[Any, Any] | Sequence[Term | Expr[Any, Any]]]) -> Self:
        """An expression stands for its ascending order."""
        found: Self = self._on("order", {"terms": _fixed(terms)})
        return found

    def limit(self, count: int) -> Self:
        """At most so many rows."""
        found: Self = self._slice(count, None)
        return found

    def offset(self, count: int) -> Self:
        """Leaves out so many rows."""
        found: Self = self._slice(None, count)
        return found

    # overloads of select: Query[ROW, COLUMNS] of 12
    def select(self, fields: Any) -> Any:
        """Rows of expressions and nested queries: tuples, the value itself where it is one only, or dicts. `into` makes objects of them."""
        return self._select(_fixed(fields))

    # overloads of group: Query[ROW, COLUMNS] of 8
    def group(self, fields: Any, folds: Any = None) -> Any:
        """One row for each set of the fields that are no count, sum_, avg, min_ or max_."""
        return self._group(_fixed(fields), _fixed(folds))

    # overloads of fold: One[ROW, COLUMNS] of 6
    def fold(self, fields: Any) -> Any:
        """One row of count, sum_, avg, min_ and max_ over all rows."""
        return self._group(None, _fixed(fields))

    def join(self, right: Query[Any, _C], on: Callable[[*_Sides, _C], Expr[bool, Any]]) -> Joined[*_Sides, _C]:
        """The pairs of rows for which the test is TRUE."""
        found: Joined[*_Sides, _C] = self._many("join", {"on": _fixed(on), "join": "inner"}, right)
        return found

    def left_join(self, right: TableRows[Any, _C, _O], on: Callable[[*_Sides, _C], Expr[bool, Any]]) -> Joined[*_Sides, _O]:
        """`join`, and the rows without a partner: for those the right side's columns are NULL."""
        found: Joined[*_Sides, _O] = self._many("join", {"on": _fixed(on), "join": "left"}, right)
        return found

    def count(self) -> Soft:
        """How many rows there are."""
        return Soft("scalar", (self._counted(), None, True), "i", True)

    # overloads of value
    def value(self, of: Any) -> Any:
        """A value of the first row; NULL without rows."""
        return self._value(of)


class Joined(Rows[*_Sides], Generic[*_Sides]):
    """Rows of several sides; `select` or `group` says what is wanted of them."""

    __slots__ = ()


class Query(Rows[*_Sides], Part[list[_R], Nested], Generic[_R, *_Sides]):
    """Many rows, each of which comes as R."""

    __slots__ = ()

    def where_in(self, of: Callable[[*_Sides], Expr[_T, Any]], values: Iterable[_T]) -> Self:
        """The rows whose value is one of these: a look-up for each where there is an index."""
        found: Self = self._looked_up({"of": _fixed(of), "values": list(values)})
        return found

    def distinct(self) -> Self:
        found: Self = self._on("distinct")
        return found

    def union(self, other: Query[_R, *tuple[Any, ...]]) -> Query[_R, *_Sides]:
        """The rows of both, those that are in both too."""
        found: Query[_R, *_Sides] = self._many("set", {"kind": "concatenate"}, other)
        return found

    def intersect(self, other: Query[_R, *tuple[Any, ...]], *, all: bool = False) -> Query[_R, *_Sides]:
        """The rows that are in both, each once; `all`: as often as in both."""
        found: Query[_R, *_Sides] = self._many("set", {"kind": "intersect", "all": all}, other)
        return found

    def except_(self, other: Query[_R, *tuple[Any, ...]], *, all: bool = False) -> Query[_R, *_Sides]:
        """The rows that are not in the other one, each once; `all`: less those, one for one."""
        found: Query[_R, *_Sides] = self._many("set", {"kind": "except", "all": all}, other)
        return found

    def shared(self) -> Query[_R, *_Sides]:
        """Made once, however often it stands in one operation."""
        found: Query[_R, *_Sides] = Query("shared", (self,))
        return found

    def named(self, name: str) -> Self:
        """A name of the statement, for logs and spans."""
        found: Self = self._named(name)
        return found

    def first(self) -> Maybe[_R | None, *_Sides]:
        """The first row, or None."""
        found: Maybe[_R | None, *_Sides] = self._on("same", card="maybe")
        return found

    def one(self) -> One[_R, *_Sides]:
        """The only row: none, or several, are a CardinalityError."""
        found: One[_R, *_Sides] = self._on("same", card="one")
        return found

    def into(self: Query[tuple[*_Ts], *_Sides], make: Callable[[*_Ts], _X]) -> Query[_X, *_Sides]:
        """What `make`, such as a dataclass, makes of each row's values; of a dict's, by their names."""
        found: Query[_X, *_Sides] = self._on("same", {"into": make})
        return found


class TableRows(Query[_R, _C], Generic[_R, _C, _O]):
    """Rows of a table; O are its columns where there may be no row."""

    __slots__ = ()


class Maybe(_Q, Part[_R, Nested], Generic[_R, *_Sides]):
    """One row, or None; R has the None."""

    __slots__ = ()

    def where(self, predicate: Callable[[*_Sides], Expr[bool, Any]]) -> Maybe[_R, *_Sides]:
        """None where the test is not TRUE."""
        found: Maybe[_R, *_Sides] = self._where(_fixed(predicate))
        return found

    # overloads of select: Maybe[ROW | None, COLUMNS] of 12
    def select(self, fields: Any) -> Any:
        """A tuple, a value or a dict, as `select` of a query of many rows."""
        return self._select(_fixed(fields))

    def named(self, name: str) -> Self:
        """A name of the statement, for logs and spans."""
        found: Self = self._named(name)
        return found

    def one(self: Maybe[_X | None, *_Sides]) -> One[_X, *_Sides]:
        """The row: none is a CardinalityError."""
        found: One[_X, *_Sides] = self._on("same", card="one")
        return found

    # overloads of value
    def value(self, of: Any) -> Any:
        """A value of the first row; NULL without rows."""
        return self._value(of)

    def into(self: Maybe[tuple[*_Ts] | None, *_Sides], make: Callable[[*_Ts], _X]) -> Maybe[_X | None, *_Sides]:
        """What `make`, such as a dataclass, makes of the row's values; of a dict's, by their names."""
        found: Maybe[_X | None, *_Sides] = self._on("same", {"into": make})
        return found


class One(_Q, Part[_R, Nested], Generic[_R, *_Sides]):
    """Exactly one row."""

    __slots__ = ()

    def where(self, predicate: Callable[[*_Sides], Expr[bool, Any]]) -> Maybe[_R | None, *_Sides]:
        """None where the test is not TRUE."""
        found: Maybe[_R | None, *_Sides] = self._where(_fixed(predicate))
        return found

    # overloads of select: One[ROW, COLUMNS] of 12
    def select(self, fields: Any) -> Any:
        """A tuple, a value or a dict, as `select` of a query of many rows."""
        return self._select(_fixed(fields))

    def named(self, name: str) -> Self:
        """A name of the statement, for logs and spans."""
        found: Self = self._named(name)
        return found

    # overloads of value
    def value(self, of: Any) -> Any:
        """A value of the first row; NULL without rows."""
        return self._value(of)

    def into(self: One[tuple[*_Ts], *_Sides], make: Callable[[*_Ts], _X]) -> One[_X, *_Sides]:
        """What `make`, such as a dataclass, makes of the row's values; of a dict's, by their names."""
        found: One[_X, *_Sides] = self._on("same", {"into": make})
        return found


def _is_ordered(q: _Q) -> bool:
    """Whether rows come in an order that the language knows."""
    if q._op in ("order", "slice", "page"):
        return True
    return q._op in ("where", "select", "same") and _is_ordered(q._inputs[0])


def _is_ordered_by(q: _Q) -> bool:
    """Whether the application has said the order in which rows come."""
    if q._op == "order":
        return q._parts.get("terms") is not None
    return q._op in ("where", "select", "same", "slice") and _is_ordered_by(q._inputs[0])


def _loses_order(q: _Q) -> str | None:
    """The step behind an order_by that does not keep its order."""
    if q._op == "refQuery":
        return "query(…).rows" if _is_ordered_by(q._parts["of"]) else None
    if q._op in ("order", "group", "page", "recursive") or not q._inputs:
        return None
    is_lost = _is_ordered_by(q._inputs[0]) or (q._op == "set" and _is_ordered_by(q._inputs[1]))
    if not is_lost or q._op in ("where", "select", "same", "slice"):
        return _loses_order(q._inputs[0])
    names = {"whereIn": "where_in", "concatenate": "union", "except": "except_"}
    step = q._parts["kind"] if q._op == "set" else q._op
    return names.get(step, step)


def _ordered(q: _Q) -> _Q:
    """The query with an order; a projection orders its input."""
    if q._single or _is_ordered(q):
        return q
    if q._op in ("select", "same"):
        return _Q(q._op, (_ordered(q._inputs[0]),), q._parts, q._card, q._single, q._name)
    step = _loses_order(q)
    if step is not None:
        raise BuildError(f"{step} does not keep the order of order_by: put order_by behind it")
    return _Q("order", (q,))


def _is_explicit(q: _Q) -> bool:
    """Whether the columns are named one by one: what the table gets later changes nothing."""
    if q._op in ("scan", "ref", "join"):
        return False
    if q._op in ("select", "group", "rows", "page", "all"):
        return True
    if q._op in ("refQuery", "self"):
        return _is_explicit(q._parts["of"])
    return _is_explicit(q._inputs[0])


def _asks_for_one(q: _Q) -> bool:
    """By one(), not by what the schema promises: only the whole result is held to it."""
    if q._card != "one" or q._op == "group" or not q._inputs:
        return False
    return (q._op == "same" and q._inputs[0]._card != "one") or _asks_for_one(q._inputs[0])


def _equalities(pairs: Iterable[tuple[_Ex, object]]) -> Any:
    return _all_of([_compare("eq", column, value) for column, value in pairs])


def _terms_of(found: object) -> list[Term]:
    terms: list[Term] = []
    for term in found if isinstance(found, (list, tuple)) else [found]:
        if isinstance(term, _Ex):
            term = Term(term, False)
        if not isinstance(term, Term):
            raise BuildError("order_by wants expressions")
        terms.append(term)
    return terms


def rows(shape: Mapping[str, LirType], values: Iterable[Mapping[str, Any]]) -> Query[dict[str, Any], Any]:
    """Rows that the program brings: `shape` says the types by name."""
    all = list(values)
    columns = [_Column(name, name, _CODES[type], any(row.get(name) is None for row in all), False) for name, type in shape.items()]
    cells = [[_literal(column.code, row.get(column.member)) for column in columns] for row in all]
    found: Query[dict[str, Any], Any] = _query("rows", (), {"columns": columns, "cells": cells})
    return found


def recursive(
    anchor: Query[_R, *_Sides],
    step: Callable[[Query[_R, *_Sides]], Query[_R, *tuple[Any, ...]]],
    accumulation: Literal["new", "all"] = "new",
) -> Query[_R, *_Sides]:
    """The rows of the anchor, and what the step makes of the rows of the round before, until there are no more; `new`: no row twice."""
    self: Query[_R, *_Sides] = Query("self", (), {"of": anchor})
    parts = {"self": self, "accumulation": accumulation}
    found: Query[_R, *_Sides] = anchor._many("recursive", parts, step(self))
    return found


def _one_row() -> Any:
    """One row, for results beside each other."""
    parts = rows({"one": "bool"}, [{"one": True}])._parts
    return One("rows", (), parts, "one", True)
