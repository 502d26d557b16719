"""The client for asyncio. Its methods are those of the synchronous client, as coroutines."""

from __future__ import annotations

import asyncio
import inspect
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self


class _Awaiting:
    """Runs the steps of operations in an event loop."""

    def __init__(
        self, channel: _Channel, exchange: Callable[[Operation], Awaitable[Answer]], token: Callable[[], str | Awaitable[str]] | None
    ) -> None:
        self.channel = channel
        self.exchange = exchange
        self.token = token
        #: What several operations wait for, by whom it is about.
        self.shared: dict[int, asyncio.Task[Any]] = {}

    async def do(self, steps: _Steps) -> Any:
        try:
            step = next(steps)
            while True:
                try:
                    reply = await self._step(step)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(reply)
        except StopIteration as end:
            return end.value
        finally:
            steps.close()

    async def _step(self, step: _Step) -> Any:
        world = self.channel.options.world
        if isinstance(step, _Send):
            return await self.exchange(step.operation)
        if isinstance(step, _Pause):
            return await (world.sleep or self.pause)(step.seconds)
        if isinstance(step, _Token):
            return await self._once(0, self._ask_token, step.deadline)
        guard: _Guard = step.what
        if not guard.is_fit:
            await self._once(id(guard), lambda: self.do(guard.check()), step.deadline)
        return None

    async def pause(self, seconds: float) -> None:
        """Also ends when the client is closed."""
        end = asyncio.get_running_loop().create_future()
        pauses = self.channel.pauses
        pauses.add(end)
        try:
            await asyncio.wait([end], timeout=seconds)
        finally:
            pauses.discard(end)

    async def _once(self, about: int, work: Callable[[], Any], deadline: float) -> Any:
        task = self.shared.get(about)
        if task is None:
            task = asyncio.ensure_future(work())
            self.shared[about] = task
            task.add_done_callback(lambda done: self._forget(about, done))
        try:
            async with asyncio.timeout(max(0, deadline - self.channel.options.world.now())):
                return await asyncio.shield(task)
        except TimeoutError:
            if task.done():
                return task.result()
            # Whoever comes next asks anew: this one may never end.
            self._forget(about, task)
            raise _Silence(Broken("no answer in time")) from None

    def _forget(self, about: int, task: asyncio.Task[Any]) -> None:
        if self.shared.get(about) is task:
            del self.shared[about]
        if task.done() and not task.cancelled():
            # Told to those who have waited.
            task.exception()

    async def _ask_token(self) -> str:
        found: Any = "" if self.token is None else self.token()
        return _checked_token(await found if inspect.isawaitable(found) else found)


class AsyncReader:
    """Sends operations to a server. A read-only reader accepts only queries, each on one state that is up to about two seconds old."""

    _server: _Server
    _awaiting: _Awaiting

    def __init__(self, server: _Server, awaiting: _Awaiting) -> None:
        self._server = server
        self._awaiting = awaiting

    async def run(
        self,
        what: Part[_A, Any],
        *,
        timeout: float | None = None,
        name: str | None = None,
        headers: Mapping[str, str] | None = None,
        idempotent: bool = False,
    ) -> _A:
        """Runs an operation like `Client.run`. If the task is cancelled, its connection is closed."""
        call = _CallOptions(timeout, name, headers or {}, idempotent)
        found: _A = await self._awaiting.do(self._server.run(_compile(what), call))
        return found

    async def cached(self, what: Part[_A, Any], *, timeout: float | None = None) -> _A:
        """Returns the result of a query: the same object until data that the query reads changes. Do not modify it."""
        kept: _Kept = await self._awaiting.do(self._server.fresh(_compile(what), _CallOptions(timeout)))
        found: _A = kept.value
        return found

    async def watch(self, what: Part[_A, Any], *, every: float = 2.0) -> AsyncIterator[_A]:
        """Yields the result of a query, and then each result that differs from the previous one. Runs the query every `every` seconds, with 10 % random
        variation."""
        if not every > 0:
            raise BuildError(f"every: a number of seconds above 0 is wanted, not {_shown(every)}")
        compiled = _compile(what)
        world = self._server.channel.options.world
        last: _Kept | None = None
        while True:
            now: _Kept = await self._awaiting.do(self._server.fresh(compiled, _CallOptions(), last))
            if last is None or now.value is not last.value:
                found: _A = now.value
                yield found
            last = now
            await (world.sleep or self._awaiting.pause)(every * (0.9 + world.random() / 5))

    async def page(
        self, query: Query[_R, *tuple[Any, ...]], size: int, *, after: str | None = None, before: str | None = None, timeout: float | None = None
    ) -> Page[_R]:
        """Returns the rows after or before a cursor of an earlier page of the same query."""
        compiled = _compile_page(query, size, after, before)
        found: Page[_R] = await self._awaiting.do(self._server.run(compiled, _CallOptions(timeout)))
        return found

    async def pages(self, query: Query[_R, *tuple[Any, ...]], size: int) -> AsyncIterator[list[_R]]:
        """Returns all rows in pages of `size` rows, each page on its own snapshot."""
        after: str | None = None
        while True:
            page = await self.page(query, size, after=after)
            if page.rows:
                yield page.rows
            if page.next is None:
                return
            after = page.next

    async def explain(self, what: Part[Any, Any]) -> Plan:
        """Returns the query plan without execution."""
        answer = await self._awaiting.do(self._server.post(_compile(what), _CallOptions(), "?show-plan=true&dry-run=true"))
        return _plan_in(answer)

    async def check(self, what: Part[Any, Any]) -> None:
        """Raises the error with which the server would reject the operation, without execution."""
        await self._awaiting.do(self._server.post(_compile(what), _CallOptions(), "?dry-run=true"))

    async def analyze(self, what: Part[Any, Any], level: Level | None = None) -> Analysis:
        """Runs the operation, and returns result, plan and diagnostics. If the server refuses the level, `refused` contains the reason."""
        found: Analysis = await self._awaiting.do(_analyze(self._server, _compile(what), level, _CallOptions()))
        return found

    async def raw(self, program: Mapping[str, Any] | str, *, timeout: float | None = None, idempotent: bool = False) -> RawAnswer:
        """Sends a program in JSON (PIR) unchanged."""
        call = _CallOptions(timeout, None, {}, idempotent)
        found: RawAnswer = await self._awaiting.do(_raw(self._server, program, call))
        return found


class AsyncClient(AsyncReader):
    """Sends operations to a server, in one event loop."""

    _generated: _Schema
    #: The reader at `reader_url`, or the same server if there is none.
    reader: AsyncReader

    def __init__(
        self,
        url: str,
        *,
        reader_url: str | None = None,
        token: str | Callable[[], str | Awaitable[str]] | None = None,
        timeout: float = 30.0,
        attempts: int = 6,
        longest_wait: float = 1.0,
        schema: Schema = "verify",
        on_drift: Callable[[int, str], None] | None = None,
        cache_entries: int = 1000,
        cache_bytes: int = 16 << 20,
        headers: Mapping[str, str] | None = None,
        use: Sequence[Callable[[Operation, Callable[[Operation], Awaitable[Answer]]], Awaitable[Answer]]] = (),
        propagate: Callable[[dict[str, str]], None] | None = None,
        transport: Callable[[Operation], Awaitable[Answer]] | None = None,
        ssl_context: ssl.SSLContext | None = None,
        _world: _World | None = None,
    ) -> None:
        options = _options_of(
            token, timeout, attempts, longest_wait, schema, headers or {}, propagate, on_drift, _world or _World()
        )
        self._channel = _Channel(options)
        self._transport = _AsyncTransport(ssl_context) if transport is None else None
        send = transport or self._transport

        async def silenced(operation: Operation) -> Answer:
            try:
                assert send is not None
                return await send(operation)
            except (Unsent, Broken) as error:
                raise _Silence(error) from error

        source = None if token is None or isinstance(token, str) else token
        awaiting = _Awaiting(self._channel, _exchange_over(silenced, use), source)
        self._cache = _Cache(cache_entries, cache_bytes)
        super().__init__(_Server(self._channel, url, self._generated, self._cache, False), awaiting)
        self.reader = AsyncReader(_Server(self._channel, reader_url or url, self._generated, self._cache, True), awaiting)

    async def copy(self, table: Table[Any, Any, Any, _X, Any, Any, Any], rows: Iterable[_X]) -> int:
        """Inserts rows by several programs of at most 1,000 rows and 3 MiB each. Returns the number of rows. Not atomic: if a program fails, the rows of
        earlier programs stay."""
        count, some = 0, list[Any]()
        for row in rows:
            some.append(row)
            if len(some) == _COPY_ROWS_MAX:
                count += await self._awaiting.do(_copy_some(self._server, table, some, _CallOptions()))
                some = []
        if some:
            count += await self._awaiting.do(_copy_some(self._server, table, some, _CallOptions()))
        return count

    async def close(self) -> None:
        """Closes the client. Every later operation raises a TransportError of the phase `aborted`."""
        self._channel.is_closed = True
        for pause in list(self._channel.pauses):
            if not pause.done():
                pause.set_result(None)
        self._cache.clear()
        if self._transport is not None:
            await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
