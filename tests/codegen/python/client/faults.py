"""Which failures are tried again, how often and after how long: with transports that fail as written down, and a clock that only waits move."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from db import (
    Answer,
    AsyncClient,
    AuthError,
    Broken,
    BuildError,
    Client,
    ConflictError,
    ExecutionError,
    InternalError,
    InvalidError,
    LimitError,
    Operation,
    OutcomeUnknownError,
    OverloadedError,
    ReadOnlyError,
    SvcError,
    TransportError,
    Unsent,
    users,
)
from db._runtime import _World

from checks import raises, run_checks, same

READ = users
WRITE = users.insert({"id": 1, "handle": "a"})
GOOD = (200, {"result": [{"id": 1, "handle": "a", "bio": None}]})


def problem(status: int, code: str, reason: str, **headers: str) -> Any:
    return (status, {"code": code, "reason": reason, "detail": "d", "status": status}, headers)


UNSENT, BROKEN, PAGE = Unsent("refused"), Broken("reset"), (200, "<html>")
RACE = problem(409, "conflict", "serializable_conflict")
GATE = problem(409, "conflict", "retired_backpressure")
BUSY = problem(503, "internal", "overloaded")
FULL = problem(503, "internal", "storage_unavailable")
LOST = problem(500, "internal", "commit_outcome_unknown")
BUG = problem(500, "internal", "internal")
INVALID = problem(400, "invalid", "malformed")
GATEWAY = (502, "<html>")

#: What is asked, what the transport gives, which error comes or None, and how many requests were made.
CASES: list[tuple[str, Any, list[Any], type[Exception] | None, int]] = [
    ("a read that lost a race", READ, [RACE, RACE, GOOD], None, 3),
    ("a write that lost a race", WRITE, [RACE, RACE, GOOD], None, 3),
    ("a race that is lost as often as is tried", WRITE, [RACE] * 6, ConflictError, 6),
    ("a write behind a gate", WRITE, [GATE, GOOD], None, 2),
    ("a read behind a gate", READ, [GATE], ConflictError, 1),
    ("a read of a busy server", READ, [BUSY, GOOD], None, 2),
    ("a write of a busy server", WRITE, [BUSY, GOOD], None, 2),
    ("a server that stays busy", WRITE, [BUSY] * 6, OverloadedError, 6),
    ("a read of a full store", READ, [FULL, GOOD], None, 2),
    ("a write of a full store", WRITE, [FULL, GOOD], None, 2),
    ("a read that fails once", READ, [BUG, GOOD], None, 2),
    ("a read that fails twice", READ, [BUG, BUG], InternalError, 2),
    ("a write that fails", WRITE, [BUG], InternalError, 1),
    ("a write whose end nobody knows", WRITE, [LOST], OutcomeUnknownError, 1),
    ("a read whose end nobody knows", READ, [LOST], OutcomeUnknownError, 1),
    ("a refused connection of a read", READ, [UNSENT, UNSENT, GOOD], None, 3),
    ("a refused connection of a write", WRITE, [UNSENT, UNSENT, GOOD], None, 3),
    ("a server that is not there", READ, [UNSENT] * 6, TransportError, 6),
    ("a server that is not there for a write", WRITE, [UNSENT] * 6, TransportError, 6),
    ("a read that breaks off", READ, [BROKEN, GOOD], None, 2),
    ("a write that breaks off", WRITE, [BROKEN], OutcomeUnknownError, 1),
    ("a race, then a write that breaks off", WRITE, [RACE, BROKEN], OutcomeUnknownError, 2),
    ("a read behind a gateway", READ, [GATEWAY, GOOD], None, 2),
    ("a write behind a gateway", WRITE, [GATEWAY], OutcomeUnknownError, 1),
    ("a read of a page", READ, [PAGE], TransportError, 1),
    ("a write of a page", WRITE, [PAGE], OutcomeUnknownError, 1),
    ("a write of a page that is not found", WRITE, [(404, "<html>")], TransportError, 1),
    ("another answer", READ, [(200, {"other": 1})], TransportError, 1),
    ("an invalid read", READ, [INVALID], InvalidError, 1),
    ("an invalid write", WRITE, [INVALID], InvalidError, 1),
    ("a write to a reader", WRITE, [problem(409, "invalid", "read_only")], ReadOnlyError, 1),
    ("no room", READ, [problem(422, "execution_failed", "memory_limit")], LimitError, 1),
    ("a division", READ, [problem(422, "execution_failed", "division_by_zero")], ExecutionError, 1),
    ("a wrong token", READ, [problem(401, "unauthenticated", "invalid_token")], AuthError, 1),
    ("too little scope", READ, [problem(403, "forbidden", "insufficient_scope")], AuthError, 1),
    ("a reason of tomorrow", READ, [problem(422, "execution_failed", "tomorrow")], ExecutionError, 1),
    ("a code of tomorrow", READ, [problem(422, "tomorrow", "tomorrow")], SvcError, 1),
    ("a race of tomorrow", WRITE, [problem(409, "conflict", "tomorrow"), GOOD], None, 2),
    ("a corrupt catalog", READ, [problem(500, "internal", "catalog_corrupt")], InternalError, 1),
]


class Script:
    """A transport that gives what is written down, and a world whose clock only waits move."""

    def __init__(self, outcomes: list[Any], chance: float = 0.5) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[Operation] = []
        self.waits: list[float] = []
        self.clock = 0.0
        self.world = _World(lambda: self.clock, lambda: 1_700_000_000.0, lambda: chance, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 6))
        self.clock += seconds

    async def pause(self, seconds: float) -> None:
        self.sleep(seconds)

    def send(self, operation: Operation) -> Answer:
        self.requests.append(operation)
        outcome = self.outcomes.pop(0)
        if callable(outcome):
            outcome = outcome(self)
        if isinstance(outcome, Exception):
            raise outcome
        status, body, *headers = outcome
        text = body if isinstance(body, str) else json.dumps(body)
        told = {name.replace("_", "-"): value for name, value in headers[0].items()} if headers else {}
        return Answer(status, told, text.encode())

    async def send_later(self, operation: Operation) -> Answer:
        await asyncio.sleep(0)
        return self.send(operation)

    def run(self, what: Any, is_async: bool, **options: Any) -> Any:
        call = {name: options.pop(name) for name in ("idempotent", "timeout") if name in options}
        if not is_async:
            with Client("svc://x", schema="off", transport=self.send, _world=self.world, **options) as client:
                return client.run(what, **call)

        async def go() -> Any:
            world = self.world._replace(sleep=self.pause)
            async with AsyncClient("svc://x", schema="off", transport=self.send_later, _world=world, **options) as client:
                return await client.run(what, **call)

        return asyncio.run(go())


def both(check: Callable[[bool], None]) -> None:
    check(False)
    check(True)


def check_all_faults() -> None:
    def check(is_async: bool) -> None:
        for name, what, outcomes, wanted, requests in CASES:
            script = Script(outcomes)
            try:
                script.run(what, is_async)
                kind: type[BaseException] | None = None
            except (SvcError, TransportError) as error:
                kind = type(error)
                same((name, error.attempts), (name, requests))
            same((name, kind, len(script.requests)), (name, wanted, requests))

    both(check)


def check_idempotent_writes_are_repeated() -> None:
    def check(is_async: bool) -> None:
        for outcome in (BROKEN, GATEWAY):
            script = Script([outcome, GOOD])
            script.run(WRITE, is_async, idempotent=True)
            same(len(script.requests), 2)
        script = Script([BUG])
        raises(InternalError, lambda: script.run(WRITE, is_async, idempotent=True))

    both(check)


def check_waits() -> None:
    def check(is_async: bool) -> None:
        script = Script([RACE] * 5 + [GOOD], chance=0.5)
        script.run(WRITE, is_async)
        same(script.waits, [0.0025, 0.005, 0.01, 0.02, 0.04])
        script = Script([GATE, GATE, GOOD], chance=0)
        script.run(WRITE, is_async)
        same(script.waits, [0.1, 0.1])
        script = Script([UNSENT] * 5 + [GOOD], chance=0.999999)
        script.run(WRITE, is_async, longest_wait=0.3)
        same([round(wait, 3) for wait in script.waits], [0.1, 0.2, 0.3, 0.3, 0.3])
        asked = problem(503, "internal", "overloaded", retry_after="3")
        script = Script([asked, GOOD], chance=0)
        script.run(WRITE, is_async)
        same(script.waits, [3.0])
        date = problem(503, "internal", "overloaded", retry_after="Tue, 14 Nov 2023 22:13:24 GMT")
        script = Script([date, GOOD], chance=0)
        script.run(WRITE, is_async)
        same(script.waits, [4.0])
        for wrong in ("soon", "-1", "1e9", "Tue, 99 Nov 2023"):
            script = Script([problem(503, "internal", "overloaded", retry_after=wrong), GOOD], chance=0)
            script.run(WRITE, is_async)
            same(script.waits, [0.0])

    both(check)


def check_the_time_bounds_all_attempts() -> None:
    def check(is_async: bool) -> None:
        asked = problem(503, "internal", "overloaded", retry_after="60")
        script = Script([asked])
        raises(OverloadedError, lambda: script.run(READ, is_async))
        same((len(script.requests), script.waits), (1, []))

        def late(script: Script) -> Any:
            script.clock += 31
            return BROKEN

        script = Script([late])
        error = raises(TransportError, lambda: script.run(READ, is_async))
        same((error.phase, error.sent), ("timeout", True))
        script = Script([late])
        raises(OutcomeUnknownError, lambda: script.run(WRITE, is_async))
        script = Script([UNSENT, UNSENT, UNSENT], chance=0.9)
        error = raises(TransportError, lambda: script.run(WRITE, is_async, timeout=0.2))
        same((error.phase, error.sent), ("connect", False))

    both(check)


def check_tokens() -> None:
    refused = problem(401, "unauthenticated", "invalid_token")

    def check(is_async: bool) -> None:
        given = iter(["one", "two", "three"])
        script = Script([refused, GOOD])
        script.run(WRITE, is_async, token=lambda: next(given))
        same([one.headers["authorization"] for one in script.requests], ["Bearer one", "Bearer two"])
        script = Script([refused, refused])
        raises(AuthError, lambda: script.run(READ, is_async, token=lambda: "x"))
        script = Script([GOOD])
        script.run(READ, is_async, token="fixed")
        same(script.requests[0].headers["authorization"], "Bearer fixed")
        raises(BuildError, lambda: Script([]).run(READ, is_async, token="a\nb"))
        error = raises(BuildError, lambda: Script([]).run(READ, is_async, token=lambda: "secret\n"))
        same("secret" in str(error), False)

    both(check)


def check_headers_and_middleware() -> None:
    script = Script([UNSENT, GOOD])
    seen: list[Any] = []

    def outer(operation: Operation, next: Any) -> Answer:
        seen.append(("outer", operation.attempt, operation.name, operation.kind))
        operation.headers["x-outer"] = "1"
        return next(operation)

    def inner(operation: Operation, next: Any) -> Answer:
        seen.append(("inner", operation.headers["x-outer"], operation.headers["traceparent"], operation.headers["x-all"]))
        return next(operation)

    script.run(READ.named("feed"), False, use=[outer, inner], propagate=lambda headers: headers.update(traceparent="t"), headers={"X-All": "a"})
    same(seen, [("outer", 1, "feed", "query"), ("inner", "1", "t", "a"), ("outer", 2, "feed", "query"), ("inner", "1", "t", "a")])

    def answering(operation: Operation, next: Any) -> Answer:
        return Answer(200, {}, json.dumps(GOOD[1]).encode())

    same(len(Script([]).run(READ, False, use=[answering])), 1)

    def failing(operation: Operation, next: Any) -> Answer:
        raise KeyError("mine")

    raises(KeyError, lambda: Script([]).run(READ, False, use=[failing]))
    raises(BuildError, lambda: Script([]).run(READ, False, headers={"a b": "x"}))
    raises(BuildError, lambda: Script([]).run(READ, False, headers={"a": "x\r\ny: z"}))


def check_addresses() -> None:
    def url(address: str) -> str:
        script = Script([GOOD])
        with Client(address, schema="off", transport=script.send, _world=script.world) as client:
            client.run(READ)
        return script.requests[0].url

    same(url("svc://h"), "http://h:7237/execute")
    same(url("SVCS://h:1"), "https://h:1/execute")
    same(url("https://h/db/"), "https://h/db/execute")
    same(url("svc://[::1]"), "http://[::1]:7237/execute")
    for wrong in ("h", "svc://u@h", "ftp://h", "svc://h?x", "svc://h\n", "http://h/#a"):
        raises(BuildError, lambda: url(wrong))  # noqa: B023


run_checks(globals())
