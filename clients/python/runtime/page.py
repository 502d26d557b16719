"""Pages by key: rows behind or in front of a row, in any order, with NULLs where the order has them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

_CURSOR_VERSION = 1
_PAGE_SIZE_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Page(Generic[_R]):
    """Some rows of a query, with cursors to go on from: `next` for `after`, `previous` for `before`; None at the ends."""

    rows: list[_R]
    next: str | None
    previous: str | None


class _PageParts:
    def __init__(self, base: _Q, terms: _Call | None = None, fields: _Call | None = None, into: tuple[Any, ...] = ()) -> None:
        self.base = base
        self.terms = terms
        self.fields = fields
        self.into = into


def _page_parts(q: _Q) -> _PageParts:
    """The projection, the order and what lies below them."""
    if q._op == "same":
        inner = _page_parts(q._inputs[0])
        if "into" in q._parts:
            inner.into = (*inner.into, q._parts["into"])
        return inner
    if q._op == "select":
        inner = _page_parts(q._inputs[0])
        if inner.fields is not None:
            raise BuildError("page wants one select")
        inner.fields = q._parts["fields"]
        return inner
    if q._op == "order" and q._parts.get("terms") is not None:
        return _PageParts(q._inputs[0], q._parts["terms"])
    if q._op == "slice":
        raise BuildError("page has its own limit")
    if q._op == "where" and _is_ordered_by(q):
        inner = _page_parts(q._inputs[0])
        if inner.fields is not None:
            raise BuildError("page wants where in front of select, or order_by behind both")
        inner.base = _Q("where", (inner.base,), q._parts)
        return inner
    return _PageParts(q)


def _compile_page(q: object, size: int, after: str | None, before: str | None) -> _Compiled:
    if not isinstance(q, _Q) or q._card != "many":
        raise BuildError("page wants a query of many rows")
    if not isinstance(size, int) or isinstance(size, bool) or not 1 <= size <= _PAGE_SIZE_MAX:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"size: 1 to {_PAGE_SIZE_MAX}")
    if after and before:
        raise BuildError("a page is after or before a cursor, not both")
    parts = _page_parts(q)
    if _Doc({}).rel(parts.base).key is None:
        raise BuildError("page wants rows with a key: union, distinct and rows have none, and order_by stands in front of select")
    shape = _shape_of(_compile_query(q).body)
    cursor = after or before
    given = _cursor_values(cursor, shape) if cursor else None
    is_back = bool(before)
    names: list[str] = []
    readers: list[_Reader] = []

    def build(doc: _Doc) -> _Rel:
        input = doc.rel(parts.base)
        terms = _terms_of(parts.terms(*input.args)) if parts.terms else []
        all = _all_terms(terms, input.key or [])
        turned = [Term(term._ex, not term._desc) for term in all] if is_back else all
        kept = input
        if given is not None:
            if len(given) != len(all):
                raise CursorError("the cursor is of another query: begin with the first page")
            values = [_native(turned[i]._ex, value) for i, value in enumerate(given)]
            kept = doc.filter(input, lambda: _behind(turned, values))
        cut = doc.cut(doc.sorted(kept, turned), size + 1)
        if parts.fields is None:
            wanted: dict[str, Any] = {out.name: out.ex for out in input.out}
            like = input.shape
        else:
            entries, like = _entries_of(parts.fields(*input.args), "select")
            wanted = dict(entries)
        # Beside what is selected under any name.
        mark = "$k"
        while any(name.startswith(mark) for name in wanted):
            mark = "$" + mark
        names[:] = [f"{mark}{i}" for i in range(len(all))]
        hidden = {names[i]: term._ex for i, term in enumerate(all)}
        found = doc.project(cut, {**wanted, **hidden})
        members = {out.name: out.member for out in input.out} if parts.fields is None else {}
        shown = [out._replace(member=members.get(out.name, out.name)) for out in found.out if out.name not in hidden]
        readers[:] = [_rows_reader(found._replace(out=shown, shape=like._replace(into=(*like.into, *parts.into))))]
        return found

    compiled = _compile_query(_Q("page", (parts.base,), {"build": build}, "many", False, q._name))

    def decode(result: Any) -> Page[Any]:
        rows: list[Mapping[str, Any]] = result
        has_more, count = len(rows) > size, min(len(rows), size)
        kept = rows[:count]
        ends = [_cursor_text(kept[i], names, shape) for i in (0, count - 1)] if kept else [None, None]
        if is_back:
            kept, ends = kept[::-1], ends[::-1]
        first, last = ends
        is_next, is_previous = (count > 0, has_more) if is_back else (has_more, count > 0 and bool(after))
        return Page(readers[0](kept), last if is_next else None, first if is_previous else None)

    return compiled._replace(decode=decode)


def _all_terms(terms: Sequence[Term], key: Sequence[_Ex]) -> list[Term]:
    """The order, and the key behind it."""
    known = {term._ex._args for term in terms if term._ex._op == "col"}
    return [*terms, *[Term(ex, False) for ex in key if ex._args not in known]]


def _native(ex: _Ex, value: Any) -> Any:
    if value is None:
        return None
    try:
        if ex._code in "iD":
            value = int(value)
        read = _reader_of(ex._code)
        found = value if read is None else read(value)
        _value_text(ex._code, found, "a cursor")
        return found
    except (ValueError, TypeError, AttributeError, OverflowError, BuildError):
        raise CursorError("that is no cursor") from None


def _behind(terms: Sequence[Term], values: Sequence[Any]) -> Any:
    """The bound of the first term in front: an index is read from there."""

    def chain(i: int) -> Any:
        further = _beyond(terms[i], values[i])
        rest = chain(i + 1) if i + 1 < len(terms) else None
        tie = None if rest is None else _compare("and", _equal(terms[i], values[i]), rest)
        if further is None:
            return tie
        return further if tie is None else _compare("or", further, tie)

    found = chain(0)
    if found is None:
        found = _literal("b", False)
    first, value = terms[0], values[0]
    if value is None or (first._desc and first._ex._nullable):
        return found
    return _compare("and", _compare("lte" if first._desc else "gte", first._ex, value), found)


def _equal(term: Term, value: Any) -> Any:
    return _test("is_null", term._ex) if value is None else _compare("eq", term._ex, value)


def _beyond(term: Term, value: Any) -> Any:
    """NULL comes first ascending, last descending; None where nothing lies beyond."""
    if value is None:
        return None if term._desc else _test("is_not_null", term._ex)
    compared = _compare("lt" if term._desc else "gt", term._ex, value)
    return _compare("or", compared, _test("is_null", term._ex)) if term._desc and term._ex._nullable else compared


_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def _shape_of(body: str) -> str:
    """What a cursor belongs to: the text of the query."""
    hash = 0x811C9DC5
    for character in body:
        hash = (hash ^ ord(character)) * 0x01000193 & 0xFFFFFFFF
    text = ""
    while hash:
        hash, digit = divmod(hash, 36)
        text = _BASE36[digit] + text
    return text or "0"


def _cursor_text(row: Mapping[str, Any], names: Sequence[str], shape: str) -> str:
    # Integers of 16 digits and more as texts, so that every reader keeps them.
    values = [str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**15 else value for value in map(row.get, names)]
    parts = [_float_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False) for value in values]
    text = f'[{_CURSOR_VERSION},"{shape}",[{",".join(parts)}]]'
    return base64.urlsafe_b64encode(_encoded(text)).decode().rstrip("=")


def _cursor_values(cursor: str, shape: str) -> Sequence[Any]:
    if not isinstance(cursor, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise CursorError("that is no cursor")
    try:
        found: Any = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True))
    except (ValueError, RecursionError):
        raise CursorError("that is no cursor") from None
    if not isinstance(found, list) or len(found) != 3 or found[:2] != [_CURSOR_VERSION, shape] or not isinstance(found[2], list):  # pyright: ignore
        raise CursorError("the cursor is of another query: begin with the first page")
    values: list[Any] = found[2]
    return values
