"""How long is waited, what bounds it, and what is sent: with transports that fail as written down, and a clock that only waits move."""

import json
from typing import Any

from db import (
    Answer,
    AuthError,
    Broken,
    BuildError,
    Client,
    Operation,
    OutcomeUnknownError,
    OverloadedError,
    TransportError,
    Unsent,
    users,
)

from checks import raises, run_checks, same
from script import Script, both

READ = users
WRITE = users.insert({"id": 1, "handle": "a"})
GOOD = (200, {"result": [{"id": 1, "handle": "a", "bio": None}]})


def problem(status: int, code: str, reason: str, **headers: str) -> Any:
    return (status, {"code": code, "reason": reason, "detail": "d", "status": status}, headers)


UNSENT, BROKEN = Unsent("refused"), Broken("reset")
RACE = problem(409, "conflict", "serializable_conflict")
GATE = problem(409, "conflict", "retired_backpressure")


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
