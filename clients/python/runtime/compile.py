"""From queries, statements and programs to what the client sends, and how the answers are read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, overload

_PROGRAM_BYTES_MAX = 4 << 20


class _Compiled(NamedTuple):
    """What the client sends for an operation."""

    name: str
    kind: str
    read_only: bool
    body: str
    #: The relation, for QUERY; None where the program is more than one plain relation.
    relation: str | None
    decode: Callable[[Any], Any]
    #: Names of the statements, with their steps by node.
    steps: Sequence[tuple[str, Mapping[str, str]]]

    def locate(self, pointer: str) -> str:
        """`/statements/0/relation/nodes/n3/…` → `filter n3 of "feed"`; the empty text when unknown."""
        at = re.match(r"/statements/(\d+)", pointer)
        if int(at[1] if at else 0) >= len(self.steps):
            return ""
        name, steps = self.steps[int(at[1] if at else 0)]
        node = re.search(r"/nodes/(n\d+)", pointer)
        step = steps.get(node[1]) if node else None
        return f'"{name}"' if step is None or node is None else f'{step} {node[1]} of "{name}"'


_Statements = Mapping[int, str]


def _relation_text(q: _Q, names: _Statements, is_input: bool = False) -> tuple[str, _Doc, _Rel]:
    doc = _Doc(names)
    try:
        # The input of a statement that writes needs no order.
        rel = doc.explicit(q) if is_input else doc.shaped(q)
    except RecursionError:
        raise BuildError("an expression stands too deep within others: Python has no room for it") from None
    if is_input:
        return doc.text(rel.node, "many"), doc, rel
    return doc.text(rel.node, {"many": "many", "maybe": "first", "one": "exactly_one"}[q._card]), doc, rel


def _reader(q: _Q, rel: _Rel) -> _Reader:
    read = _rows_reader(rel)
    return read if q._card == "many" else _one_reader(read, q._card, q._name or "the query")


def _compile_query(q: _Q) -> _Compiled:
    text, doc, rel = _relation_text(q, {})
    name = q._name or "p0"
    body = _bounded(f'{{"statements":[{{"kind":"query","name":"{name}","relation":{text}}}]}}')
    return _Compiled(name, "query", True, body, text, _reader(q, rel), [(name, doc.steps)])


def _bounded(body: str) -> str:
    if len(body) <= _PROGRAM_BYTES_MAX // 4 or len(_encoded(body)) <= _PROGRAM_BYTES_MAX:
        return body
    raise BuildError(f"the program has more than {_PROGRAM_BYTES_MAX} bytes: send it in parts, or use copy")


def _compile(what: object) -> _Compiled:
    if isinstance(what, _Run):
        return what.compiled
    if isinstance(what, _Q):
        return _compile_query(what)
    if isinstance(what, _Ex):
        of = what
        return _compile_query(_one_row()._select(lambda *_: {"value": of}).into(lambda value: value))
    if isinstance(what, Write):
        return _compile_program(what._statements, what._last, what._arrange)
    if isinstance(what, Program):
        compiled = _compile_program(what._statements, None)
        return compiled._replace(decode=lambda _: None)
    if isinstance(what, _Program):
        result = what._result
        if isinstance(result, Done):
            return _compile_program(what._statements, result._statement, result._arrange)
        if isinstance(result, _Ex):
            of = result
            return _compile_program(what._statements, _one_row()._select(lambda *_: {"value": of}).into(lambda value: value))
        if not isinstance(result, _Q):
            many = result
            result = _one_row()._select(lambda *_: many)
        return _compile_program(what._statements, result)
    raise BuildError("a query, a statement or a program is wanted")


def _compile_program(statements: Sequence[_Write | _Reading], result: object, arrange: _Arrange | None = None) -> _Compiled:
    """The result is the last statement where there is none."""
    all = list(statements)
    if isinstance(result, _Q):
        result = _Reading(result)
        all.append(result)
    if not all:
        raise BuildError("a program has one statement at least")
    if len(all) > _STATEMENTS_MAX + 1:
        raise BuildError(f"a program of more than {_STATEMENTS_MAX} statements")
    names: dict[int, str] = {}
    steps: list[tuple[str, Mapping[str, str]]] = []
    texts: list[str] = []
    read: _Reader = _same_value
    for i, statement in enumerate(all):
        if isinstance(statement, _Reading):
            own = statement.query._name if statement.guard is None else _GUARD_PREFIX + statement.guard
        else:
            own = statement.input._name
        name = own or f"p{i}"
        if name in names.values():
            raise BuildError(f"two statements are called {name}")
        if isinstance(statement, _Reading):
            text, doc, rel = _relation_text(statement.query, names)
            texts.append(f'{{"kind":"query","name":"{name}","relation":{text}}}')
            if statement is result:
                read = _rows_reader(rel) if statement.of is not None else _reader(statement.query, rel)
        else:
            text, doc, _ = _relation_text(statement.input, names, True)
            table = _text(statement.table.name)
            texts.append(f'{{"kind":"{statement.kind}","name":"{name}","table":{table},"relation":{text}}}')
            if statement is result:
                read = _write_reader(statement)
        names[id(statement)] = name
        steps.append((name, doc.steps))
    shown = names.get(id(result if result is not None else all[-1]))
    if shown is None:
        raise BuildError("the result belongs to another program")
    chosen = f'"result":"{shown}",' if len(all) > 1 else ""
    body = _bounded(f'{{{chosen}"statements":[{",".join(texts)}]}}')
    arranged = read
    decode = (lambda value: arrange(arranged(value))) if arrange is not None else read  # noqa: E731
    read_only = not any(isinstance(statement, _Write) for statement in all)
    return _Compiled(shown, "program", read_only, body, None, decode, steps)


def _same_value(value: Any) -> Any:
    return value


def _write_reader(write: _Write) -> _Reader:
    """Rows as the table has them for this client: what the server's has besides is left out."""
    scan = _Q("scan", (), {"schema": write.schema, "table": write.table})
    read = _rows_reader(_Doc({}).rel(scan))
    if write.single is None:
        return read

    def single(rows: Any) -> Any:
        for row in read(rows):
            return row
        if write.single == "maybe":
            return None
        raise BuildError(f"{write.table.name}: the row that was inserted did not come back")

    return single


class _Run(Part[_A, Nested], Generic[_A]):
    """A prepared operation with its values."""

    def __init__(self, compiled: _Compiled) -> None:
        self.compiled = compiled


class Prepared(Generic[_A, *_Ts]):
    """An operation that was made text once; a call writes its values into the text, and `run` runs that."""

    def __init__(self, name: str, likes: Sequence[_Ex], make: Callable[..., Any]) -> None:
        self._likes = likes
        params = [_make("param", (i, self), like._code, like._nullable) for i, like in enumerate(likes)]
        before = _preparing.set(self)
        try:
            self._compiled = _compile(_renamed(name, make(*params)))._replace(name=name)
        finally:
            _preparing.reset(before)
        self._body = self._compiled.body.split(_PARAM_MARK)
        self._relation = None if self._compiled.relation is None else self._compiled.relation.split(_PARAM_MARK)

    def __call__(self, *values: *_Ts) -> Part[_A, Nested]:
        given: tuple[Any, ...] = values
        if len(given) != len(self._likes):
            raise BuildError(f"{self._compiled.name} takes {len(self._likes)} values, not {len(given)}")
        texts: list[str] = []
        for i, (like, value) in enumerate(zip(self._likes, given)):
            if value is None and not like._nullable:
                raise BuildError(f"value {i + 1} of {self._compiled.name} takes no None")
            texts.append(_literal_text(like._code, value, f"value {i + 1} of {self._compiled.name}"))

        def written(parts: Sequence[str]) -> str:
            return _bounded("".join(part if i % 2 == 0 else texts[int(part)] for i, part in enumerate(parts)))

        relation = None if self._relation is None else written(self._relation)
        return _Run(self._compiled._replace(body=written(self._body), relation=relation))


def _renamed(name: str, made: object) -> object:
    """A statement is called as what it reads; a program of several keeps the names that they have."""
    if isinstance(made, _Q):
        return made._named(name)
    if isinstance(made, Write) and len(made._statements) == 1:
        return made.named(name)  # pyright: ignore
    return made


@overload
def prepare(name: str, likes: tuple[()], make: Callable[[], Part[_R, Any]]) -> Prepared[_R]: ...
@overload
def prepare(name: str, likes: tuple[Part[_A, _AS]], make: Callable[[_AS], Part[_R, Any]]) -> Prepared[_R, _A]: ...
@overload
def prepare(
    name: str, likes: tuple[Part[_A, _AS], Part[_B, _BS]], make: Callable[[_AS, _BS], Part[_R, Any]]
) -> Prepared[_R, _A, _B]: ...
@overload
def prepare(
    name: str, likes: tuple[Part[_A, _AS], Part[_B, _BS], Part[_F, _FS]], make: Callable[[_AS, _BS, _FS], Part[_R, Any]]
) -> Prepared[_R, _A, _B, _F]: ...
@overload
def prepare(
    name: str,
    likes: tuple[Part[_A, _AS], Part[_B, _BS], Part[_F, _FS], Part[_G, _GS]],
    make: Callable[[_AS, _BS, _FS, _GS], Part[_R, Any]],
) -> Prepared[_R, _A, _B, _F, _G]: ...
@overload
def prepare(
    name: str,
    likes: tuple[Part[_A, _AS], Part[_B, _BS], Part[_F, _FS], Part[_G, _GS], Part[_H, _HS]],
    make: Callable[[_AS, _BS, _FS, _GS, _HS], Part[_R, Any]],
) -> Prepared[_R, _A, _B, _F, _G, _H]: ...
def prepare(name: str, likes: Any, make: Any) -> Any:
    """Makes an operation text once. `likes` are columns whose types the values have: `prepare("post", (posts.cols.id,), lambda id: posts.get(id))`."""
    return Prepared(name, likes, make)


def document_of(what: Part[Any, Any]) -> str:
    """JSON of the program that `run` sends."""
    return _compile(what).body
