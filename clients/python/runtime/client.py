"""The synchronous client."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self

Schema = Literal["exact", "verify", "off"]
Level = Literal["summary", "detailed", "full"]


def _options_of(
    token: object,
    timeout: float,
    attempts: int,
    longest_wait: float,
    schema: str,
    headers: Mapping[str, str],
    propagate: Callable[[dict[str, str]], None] | None,
    on_drift: Callable[[int, str], None] | None,
    world: _World,
) -> _Options:
    if schema not in ("exact", "verify", "off"):
        raise BuildError(f"schema: exact, verify or off, not {schema}")
    timeout = _checked_timeout(timeout)
    if not attempts >= 1 or not longest_wait >= 0:
        raise BuildError("attempts is 1 at least, longest_wait not below 0 s")
    fixed = _checked_token(token) if isinstance(token, str) else ""
    return _Options(
        timeout, attempts, longest_wait, schema, _checked_headers(headers), fixed, callable(token), propagate, on_drift, world
    )


class _Waiting:
    """Runs the steps of operations in the calling thread, one after the other."""

    def __init__(self, channel: _Channel, exchange: Callable[[Operation], Answer], token: Callable[[], str] | None) -> None:
        self.channel = channel
        self.exchange = exchange
        self.token = token
        #: A token that somebody is waiting for is asked for once.
        self.asking: _Shared | None = None
        _now_and_in_children(self.begin)

    def begin(self) -> None:
        self.locks: dict[int, threading.Lock] = {}
        self.lock = threading.Lock()
        self.asking = None

    def do(self, steps: _Steps) -> Any:
        try:
            step = next(steps)
            while True:
                try:
                    reply = self._step(step)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value

    def _step(self, step: _Step) -> Any:
        if isinstance(step, _Send):
            return self.exchange(step.operation)
        if isinstance(step, _Pause):
            return (self.channel.options.world.sleep or time.sleep)(step.seconds)
        if isinstance(step, _Token):
            return self._ask_token()
        guard: _Guard = step.what
        if guard.is_fit:
            return None
        with self.lock:
            lock = self.locks.setdefault(id(guard), threading.Lock())
        left = step.deadline - self.channel.options.world.now()
        if not lock.acquire(timeout=max(0, min(left, threading.TIMEOUT_MAX))):
            return None
        try:
            if not guard.is_fit:
                self.do(guard.check())
        finally:
            lock.release()
        return None

    def _ask_token(self) -> str:
        if self.token is None:
            return ""
        with self.lock:
            shared = self.asking
            is_first = shared is None
            if shared is None:
                shared = self.asking = _Shared()
        if is_first:
            try:
                shared.value = _checked_token(self.token())
            except BaseException as error:
                shared.error = error
                raise
            finally:
                with self.lock:
                    self.asking = None
                shared.done.set()
            return shared.value
        shared.done.wait()
        if shared.error is not None:
            raise shared.error
        return shared.value


class _Shared:
    """A value for which several threads wait."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value = ""
        self.error: BaseException | None = None


class Reader:
    """Sends operations to a server. A read-only reader accepts only queries, each on one state that is up to about two seconds old."""

    _server: _Server
    _waiting: _Waiting

    def __init__(self, server: _Server, waiting: _Waiting) -> None:
        self._server = server
        self._waiting = waiting

    def run(
        self,
        what: Part[_A, Any],
        *,
        timeout: float | None = None,
        name: str | None = None,
        headers: Mapping[str, str] | None = None,
        idempotent: bool = False,
    ) -> _A:
        """Runs a query, an expression, a statement or a program. `timeout` limits the operation with all its attempts, in seconds. `name` occurs in
        errors and middleware. `idempotent` permits to repeat a write whose outcome is unknown."""
        call = _CallOptions(timeout, name, headers or {}, idempotent)
        found: _A = self._waiting.do(self._server.run(_compile(what), call))
        return found

    def cached(self, what: Part[_A, Any], *, timeout: float | None = None) -> _A:
        """Returns the result of a query: the same object until data that the query reads changes. Do not modify it."""
        kept: _Kept = self._waiting.do(self._server.fresh(_compile(what), _CallOptions(timeout)))
        found: _A = kept.value
        return found

    def page(
        self, query: Query[_R, *tuple[Any, ...]], size: int, *, after: str | None = None, before: str | None = None, timeout: float | None = None
    ) -> Page[_R]:
        """Returns the rows after or before a cursor of an earlier page of the same query."""
        compiled = _compile_page(query, size, after, before)
        found: Page[_R] = self._waiting.do(self._server.run(compiled, _CallOptions(timeout)))
        return found

    def pages(self, query: Query[_R, *tuple[Any, ...]], size: int) -> Iterator[list[_R]]:
        """Returns all rows in pages of `size` rows, each page on its own snapshot."""
        after: str | None = None
        while True:
            page = self.page(query, size, after=after)
            if page.rows:
                yield page.rows
            if page.next is None:
                return
            after = page.next

    def explain(self, what: Part[Any, Any]) -> Plan:
        """Returns the query plan without execution."""
        answer = self._waiting.do(self._server.post(_compile(what), _CallOptions(), "?show-plan=true&dry-run=true"))
        return _plan_in(answer)

    def check(self, what: Part[Any, Any]) -> None:
        """Raises the error with which the server would reject the operation, without execution."""
        self._waiting.do(self._server.post(_compile(what), _CallOptions(), "?dry-run=true"))

    def analyze(self, what: Part[Any, Any], level: Level | None = None) -> Analysis:
        """Runs the operation, and returns result, plan and diagnostics. If the server refuses the level, `refused` contains the reason."""
        found: Analysis = self._waiting.do(_analyze(self._server, _compile(what), level, _CallOptions()))
        return found

    def raw(self, program: Mapping[str, Any] | str, *, timeout: float | None = None, idempotent: bool = False) -> RawAnswer:
        """Sends a program in JSON (PIR) unchanged."""
        call = _CallOptions(timeout, None, {}, idempotent)
        found: RawAnswer = self._waiting.do(_raw(self._server, program, call))
        return found


class Client(Reader):
    """Sends operations to a server. Any number of threads can use a client simultaneously."""

    _generated: _Schema
    #: The reader at `reader_url`, or the same server if there is none.
    reader: Reader

    def __init__(
        self,
        url: str,
        *,
        reader_url: str | None = None,
        token: str | Callable[[], str] | None = None,
        timeout: float = 30.0,
        attempts: int = 6,
        longest_wait: float = 1.0,
        schema: Schema = "verify",
        on_drift: Callable[[int, str], None] | None = None,
        cache_entries: int = 1000,
        cache_bytes: int = 16 << 20,
        headers: Mapping[str, str] | None = None,
        use: Sequence[Callable[[Operation, Callable[[Operation], Answer]], Answer]] = (),
        propagate: Callable[[dict[str, str]], None] | None = None,
        transport: Callable[[Operation], Answer] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        _world: _World | None = None,
    ) -> None:
        options = _options_of(
            token, timeout, attempts, longest_wait, schema, headers or {}, propagate, on_drift, _world or _World()
        )
        self._channel = _Channel(options)
        self._transport = _Transport(ssl_context) if transport is None else None
        send = transport or self._transport

        def silenced(operation: Operation) -> Answer:
            try:
                assert send is not None
                return send(operation)
            except (Unsent, Broken) as error:
                raise _Silence(error) from error

        source = None if token is None or isinstance(token, str) else token
        waiting = _Waiting(self._channel, _exchange_over(silenced, use), source)
        self._cache = _Cache(cache_entries, cache_bytes)
        super().__init__(_Server(self._channel, url, self._generated, self._cache, False), waiting)
        self.reader = Reader(_Server(self._channel, reader_url or url, self._generated, self._cache, True), waiting)

    def copy(self, table: Table[Any, Any, Any, _X, Any, Any, Any], rows: Iterable[_X]) -> int:
        """Inserts rows by several programs of at most 1,000 rows and 3 MiB each. Returns the number of rows. Not atomic: if a program fails, the rows of
        earlier programs stay."""
        count, some = 0, list[Any]()
        for row in rows:
            some.append(row)
            if len(some) == _COPY_ROWS_MAX:
                count += self._waiting.do(_copy_some(self._server, table, some, _CallOptions()))
                some = []
        if some:
            count += self._waiting.do(_copy_some(self._server, table, some, _CallOptions()))
        return count

    def close(self) -> None:
        """Aborts the operations in progress. Every later operation raises a TransportError of the phase `aborted`."""
        self._channel.is_closed = True
        self._cache.clear()
        if self._transport is not None:
            self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
