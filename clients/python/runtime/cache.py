"""Answers that are kept with their entity tags: asked for anew, the same object comes back until something that it was made of has changed."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_RELATION: Mapping[str, str] = {"content-type": "application/vnd.svc.lir+json", "accept": "application/json"}


class _Kept(NamedTuple):
    #: Server, token and body.
    key: str
    #: None where a proxy lets no QUERY through: then the text tells whether something has changed.
    tag: str | None
    text: bytes
    value: Any

    def size(self) -> int:
        return len(self.key) + 2 * len(self.text)


class _Cache:
    """The answers used last, within a number of entries and of bytes."""

    def __init__(self, entries: int, bytes: int) -> None:
        self.entries_max = entries
        self.bytes_max = bytes
        self.bytes = 0
        #: The one used longest ago is the first.
        self.entries: OrderedDict[str, _Kept] = OrderedDict()
        _now_and_in_children(self.begin)

    def begin(self) -> None:
        self.lock = threading.Lock()

    def get(self, key: str) -> _Kept | None:
        with self.lock:
            found = self.entries.get(key)
            if found is not None:
                self.entries.move_to_end(key)
            return found

    def set(self, kept: _Kept) -> None:
        """Makes room by forgetting what was not used for longest; what is larger than all the room is not kept."""
        with self.lock:
            old = self.entries.pop(kept.key, None)
            self.bytes -= old.size() if old else 0
            if kept.size() > self.bytes_max:
                return
            self.entries[kept.key] = kept
            self.bytes += kept.size()
            while len(self.entries) > self.entries_max or self.bytes > self.bytes_max:
                _, gone = self.entries.popitem(last=False)
                self.bytes -= gone.size()

    def clear(self) -> None:
        with self.lock:
            self.entries.clear()
            self.bytes = 0


class _Server:
    """One server as the client uses it: programs by POST, relations by QUERY with entity tags."""

    def __init__(self, channel: _Channel, url: str, schema: _Schema, cache: _Cache, is_reader: bool) -> None:
        self.channel = channel
        self.url = f"{_origin_of(url)}/execute"
        self.guard = _Guard(channel, _origin_of(url), schema)
        self.cache = cache
        self.is_reader = is_reader
        #: A proxy on the way does not know the method QUERY.
        self.takes_no_query = False

    def ask(self, compiled: _Compiled, call: _CallOptions, asked: _Asked) -> _Steps:
        if self.is_reader and not compiled.read_only:
            raise BuildError(f"{compiled.name}: a reader runs queries only")
        try:
            return (yield from _request(self.channel, asked, call))
        except SvcError as error:
            # The schema may have changed: looked at once more, and an error where it does not fit this client any more.
            if self.channel.options.schema != "off" and error.reason in ("unknown_table", "unknown_column", "type_mismatch"):
                self.guard.is_fit = False
                yield _Before(self.guard, self.channel.options.world.now() + self.channel.options.timeout)
            raise

    def post(self, compiled: _Compiled, call: _CallOptions, parameters: str = "", headers: Any = None) -> _Steps:
        """The answer to a program, as JSON."""
        asked = _Asked(
            compiled.name,
            compiled.kind,
            "POST",
            self.url + parameters,
            _encoded(compiled.body),
            lambda token: {**_JSON, **(headers(token) if headers else {})},
            compiled.read_only,
            compiled.locate,
            lambda value: isinstance(value, dict) and "result" in value,
            self.guard,
        )
        _, value = yield from self.ask(compiled, call, asked)
        return value

    def run(self, compiled: _Compiled, call: _CallOptions) -> _Steps:
        answer = yield from self.post(compiled, call)
        return compiled.decode(answer["result"])

    def fresh(self, compiled: _Compiled, call: _CallOptions, last: _Kept | None = None) -> _Steps:
        """What is kept of a query, asked for anew: the same as before, or as last, when nothing that it was made of has changed."""
        relation = compiled.relation
        if relation is None:
            raise BuildError(f"{compiled.name}: only queries can be kept, not programs")
        key, known = "", None

        def find(token: str) -> Mapping[str, str]:
            # Of a token; who has another one may see another result.
            nonlocal key, known
            key = f"{self.url}\n{token}\n{relation}"
            known = self.cache.get(key) or (last if last is not None and last.key == key else None)
            return {}

        def query_headers(token: str) -> Mapping[str, str]:
            find(token)
            return {**_RELATION, "if-none-match": known.tag} if known is not None and known.tag else _RELATION

        def keep(value: Any, text: bytes, tag: str | None) -> _Kept:
            # Somebody else may have asked at the same time: it is one result, and one object.
            other = self.cache.get(key)
            if other is not None and (other.tag == tag if tag else other.text == text):
                return other
            now = _Kept(key, tag, text, compiled.decode(value))
            self.cache.set(now)
            return now

        if not self.takes_no_query:
            asked = _Asked(
                *(compiled.name, compiled.kind, "QUERY", self.url, _encoded(relation), query_headers),
                *(True, compiled.locate, lambda _: True, self.guard),
            )
            try:
                answer, value = yield from self.ask(compiled, call, asked)
                tag = answer.headers.get("etag")
                if known is not None and (answer.status == 304 or (tag and tag == known.tag)):
                    return known
                return keep(value, answer.body, tag)
            except TransportError as error:
                if error.status not in (405, 501):
                    raise
                self.takes_no_query = True
        found = yield from self.post(compiled, call, "", find)
        text = json.dumps(found["result"]).encode()
        if known is not None and known.text == text:
            return known
        return keep(found["result"], text, None)


class PlannedStatement(NamedTuple):
    """The plan of one statement; the members of `view` change as the planner does."""

    name: str
    text: str
    view: Any


class Plan(NamedTuple):
    """How the server runs a program."""

    statements: Sequence[PlannedStatement]


def _plan_in(answer: Mapping[str, Any]) -> Plan:
    statements: Any = (answer.get("plan") or {}).get("statements", [])
    return Plan([PlannedStatement(one.get("name", ""), one.get("text", ""), one.get("view")) for one in statements])


class Analysis(NamedTuple):
    """A result, and how it came about."""

    result: Any
    plan: Plan
    #: None without a level, and when the server refuses it.
    diagnostics: Any
    #: Why the server refuses the level.
    refused: str | None


class RawStatement(NamedTuple):
    name: str
    affected: int


class RawAnswer(NamedTuple):
    """The answer to a program as it stands on the wire."""

    result: Any
    statements: Sequence[RawStatement]


def _analyze(server: _Server, compiled: _Compiled, level: str | None, call: _CallOptions) -> _Steps:
    refused = None
    try:
        headers = None if level is None else lambda _: {"svc-diagnostics": level}
        answer = yield from server.post(compiled, call, "?show-plan=true", headers)
    except SvcError as error:
        if error.reason != "diagnostics_rejected":
            raise
        # Refused before anything has run.
        refused = error.detail
        answer = yield from server.post(compiled, call, "?show-plan=true")
    diagnostics: Any = (answer.get("_svc") or {}).get("diagnostics")
    return Analysis(compiled.decode(answer["result"]), _plan_in(answer), diagnostics, refused)


def _raw(server: _Server, program: Mapping[str, Any] | str, call: _CallOptions) -> _Steps:
    body = program if isinstance(program, str) else json.dumps(program, ensure_ascii=False)
    try:
        parsed: Any = json.loads(body)
        statements: Any = parsed["statements"]
        read_only = all(one["kind"] == "query" for one in statements)
    except (ValueError, TypeError, KeyError, RecursionError):
        # The server says what is wrong with it.
        read_only = False
    compiled = _Compiled("raw", "program", read_only, body, None, lambda value: value, [])
    answer = yield from server.post(compiled, call)
    done = [RawStatement(one.get("name", ""), one.get("affected", 0)) for one in answer.get("statements", [])]
    return RawAnswer(answer["result"], done)


#: Rows of one program of `copy`, and bytes; servers take 4 MiB unless they were told otherwise.
_COPY_ROWS_MAX = 1000
_COPY_BYTES_MAX = 3 << 20


def _copy_some(server: _Server, table: Table[Any, Any, Any, Any, Any, Any, Any], rows: Sequence[Any], call: _CallOptions) -> _Steps:
    """How many rows were inserted: in one program, or in halves where that is too large."""
    compiled: _Compiled | None = None
    try:
        compiled = _compile(table.insert_many(rows))
    except BuildError:
        if len(rows) < 2:
            raise
    if compiled is None or (len(rows) > 1 and len(_encoded(compiled.body)) > _COPY_BYTES_MAX):
        half = len(rows) // 2
        first = yield from _copy_some(server, table, rows[:half], call)
        rest = yield from _copy_some(server, table, rows[half:], call)
        return first + rest
    yield from server.run(compiled, call)
    return len(rows)
