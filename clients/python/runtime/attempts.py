"""One operation: attempts until one is answered, within one deadline. Generators say what is to be done; the clients, one that waits and one of asyncio,
do it."""

from __future__ import annotations

import email.utils
import json
import math
import random
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(slots=True)
class Operation:
    """One attempt, as middleware sees it."""

    name: str
    #: "query", "program", or "schema" for what the client asks about the schema by itself.
    kind: str
    method: str
    url: str
    body: bytes | None
    #: From 1 on.
    attempt: int
    headers: dict[str, str]
    #: Seconds that are left for it.
    timeout: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, read to its end. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unsent(Exception):
    """Of a transport: there was no connection, and nothing was sent."""


class Broken(Exception):
    """Of a transport: the connection broke off, or the time was over, after something was sent."""


class _Silence(Exception):
    """What a transport has raised, told from what middleware raises."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


_TIMEOUT_MAX = 1e8


def _checked_timeout(seconds: object) -> float:
    """At most three years: what is more is beyond the clocks of some systems."""
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise BuildError(f"timeout: a number of seconds above 0 is wanted, not {_shown(seconds)}")
    return min(seconds, _TIMEOUT_MAX)


class _World(NamedTuple):
    """Time and chance as the client uses them; tests give their own."""

    #: Seconds, from anywhere.
    now: Callable[[], float] = time.monotonic
    #: Seconds since 1970.
    unix: Callable[[], float] = time.time
    random: Callable[[], float] = random.random
    #: Waits; the asyncio client awaits what comes back.
    sleep: Callable[[float], Any] | None = None


class _Rule(NamedTuple):
    """How a kind of failure is answered."""

    #: Waits are drawn below base · 2ⁿ seconds, n the number of waits before.
    base: float
    #: The shortest wait.
    least: float
    #: How often such a failure of a read, or of a write, is followed by another attempt.
    reads: float
    writes: float
    #: Whether the server may have carried out what was sent.
    is_unclear: bool = False


_RACE = _Rule(0.005, 0, math.inf, math.inf)
_GATE = _Rule(0.2, 0.1, 0, math.inf)
_UNSENT = _Rule(0.1, 0, math.inf, math.inf)
_FAILED = _Rule(0.005, 0, 1, 0)
_BROKEN = _Rule(0.1, 0, math.inf, 0, True)
_FOREIGN = _Rule(0, 0, 0, 0, True)
_FINAL = _Rule(0, 0, 0, 0)


class _Failure(NamedTuple):
    """What came of one attempt that did not succeed."""

    problem: Mapping[str, Any] | None = None
    retry_after: float = 0
    phase: Phase = "protocol"
    message: str = ""
    status: int | None = None
    cause: BaseException | None = None

    def rule(self) -> _Rule:
        if self.problem is not None:
            status, code, reason = self.problem["status"], self.problem["code"], self.problem["reason"]
            if status == 409 and code == "conflict":
                return _GATE if reason.endswith(("_backpressure", "_finalizing")) else _RACE
            if status == 503 and reason in ("overloaded", "storage_unavailable"):
                return _UNSENT
            may_pass = status >= 500 and code == "internal" and not reason.startswith(("commit_", "catalog_"))
            return _FAILED if may_pass else _FINAL
        if self.phase == "connect":
            return _UNSENT
        status = self.status or 0
        # A gateway between says that it lost the server, or the time for it; other pages mean that the address is wrong.
        if self.phase != "protocol" or 502 <= status <= 504:
            return _BROKEN
        return _FINAL if 300 <= status < 500 else _FOREIGN


def _wait(rule: _Rule, failure: _Failure, waits: int, cap: float, chance: float) -> float:
    """Seconds to wait before the next attempt, after so many waits; `chance` lies in [0, 1)."""
    most = max(rule.least, min(cap, rule.base * math.pow(2, waits)))
    return failure.retry_after + rule.least + chance * (most - rule.least)


def _failure_in(answer: Answer, unix: float) -> _Failure:
    """The problem in an answer that cannot be used, or why there is none. A problem whose status tells of success is none of svc's."""
    try:
        found: Any = json.loads(answer.body) if answer.status >= 300 else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and isinstance(found.get("code"), str) and isinstance(found.get("reason"), str):  # pyright: ignore
        problem: Mapping[str, Any] = {**found, "status": answer.status}
        return _Failure(problem, _retry_after(answer.headers.get("retry-after"), unix))
    return _Failure(message=f"what answered is no svc server (status {answer.status})", status=answer.status)


def _retry_after(value: str | None, unix: float) -> float:
    """A number of seconds or a date (RFC 9110 §10.2.3)."""
    if value is None:
        return 0
    if re.fullmatch(r"\d{1,9}", value, re.ASCII):
        return float(value)
    at = _http_date(value)
    return 0 if at is None else max(0.0, at - unix)


_HTTP_DATES = (
    (re.compile(r"\w{3}, (\d\d \w{3} \d{4} \d\d:\d\d:\d\d) GMT", re.ASCII), r"\1"),
    (re.compile(r"\w{6,9}, (\d\d)-(\w{3})-([0-6]\d) (\d\d:\d\d:\d\d) GMT", re.ASCII), r"\1 \2 20\3 \4"),
    (re.compile(r"\w{6,9}, (\d\d)-(\w{3})-([7-9]\d) (\d\d:\d\d:\d\d) GMT", re.ASCII), r"\1 \2 19\3 \4"),
    (re.compile(r"\w{3} (\w{3}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})", re.ASCII), r"\2 \1 \4 \3"),
)


def _http_date(text: str) -> float | None:
    """Seconds since 1970 of an HTTP date (RFC 9110 §5.6.7, all three forms). None for any other text, and for a day or time that does not exist."""
    found = next(((form, order) for form, order in _HTTP_DATES if form.fullmatch(text)), None)
    if found is None:
        return None
    plain = re.sub(r"^ ", "0", found[0].sub(found[1], text)) + " GMT"
    try:
        at = email.utils.parsedate_to_datetime(plain)
    except (ValueError, TypeError):
        return None
    # The library reads the year 0000 as 2000.
    return at.timestamp() if email.utils.format_datetime(at, usegmt=True).endswith(plain) else None


_HEADER_NAME = re.compile(r"[\w!#$%&'*+.^`|~-]+", re.ASCII)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_TOKEN = re.compile(r"[\x21-\x7e]+")


#: What the transport says by itself.
_OWN_HEADERS = frozenset(["host", "content-length", "transfer-encoding", "connection"])


def _checked_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Messages hold no value."""
    for name, value in headers.items():
        if name.lower() in _OWN_HEADERS:
            raise BuildError(f"header {_text(name)} is the client's own")
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise BuildError(f"header {_text(name)} has a character that HTTP does not allow")
    return {name.lower(): value for name, value in headers.items()}


def _checked_token(token: object) -> str:
    if not isinstance(token, str) or not _TOKEN.fullmatch(token):
        raise BuildError("the token is empty, or has a character that HTTP does not allow: trim it")
    return token


_ADDRESS = re.compile(r"(svcs?|https?)://(\[[\da-f:.]+\]|[^/?#@:\[\]\s]+)(:\d{1,5})?((?:/[^?#\s]*)?)", re.IGNORECASE)


def _origin_of(url: str) -> str:
    """svc(s)://host[:port] and http(s)://host[:port][/path] as the start of URLs; port 7237 where svc(s) has none."""
    found = _ADDRESS.fullmatch(url)
    if not found:
        raise BuildError(f"{_text(url)} is no server address: write svc://host[:port], without user and query")
    scheme, host, port, path = found[1].lower(), found[2], found[3], found[4]
    if port is None:
        port = ":7237" if scheme.startswith("svc") else ""
    return f"{'https' if scheme in ('svcs', 'https') else 'http'}://{host}{port}{path.rstrip('/')}"


@dataclass(slots=True)
class _Options:
    timeout: float
    attempts: int
    longest_wait: float
    schema: str
    headers: Mapping[str, str]
    token: str
    #: Asking once more may give another token.
    may_change_token: bool
    propagate: Callable[[dict[str, str]], None] | None
    on_drift: Callable[[int, str], None] | None
    world: _World


@dataclass(slots=True)
class _Channel:
    """What all operations of a client share."""

    options: _Options
    is_closed: bool = False
    #: What waits, and ends when the client is closed.
    pauses: set[Any] = field(default_factory=set[Any])


@dataclass(slots=True)
class _CallOptions:
    timeout: float | None = None
    name: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    idempotent: bool = False


class _Asked(NamedTuple):
    """What is asked of a server, whatever becomes of it."""

    name: str
    kind: str
    method: str
    url: str
    body: bytes | None
    #: May depend on the token, the empty text without one.
    headers: Callable[[str], Mapping[str, str]]
    read_only: bool
    #: Of a pointer into the body, the builder's step.
    locate: Callable[[str], str] | None
    #: Whether what was answered with success is what was asked for; something else between may answer too.
    is_usable: Callable[[Any], bool]
    #: Must be done before anything is sent.
    before: Any = None


class _Token(NamedTuple):
    """A step: give the token."""

    deadline: float


class _Before(NamedTuple):
    """A step: do what must be done before."""

    what: Any
    deadline: float


class _Send(NamedTuple):
    """A step: make an attempt."""

    operation: Operation


class _Pause(NamedTuple):
    """A step: wait."""

    seconds: float


_Step = _Token | _Before | _Send | _Pause
_Steps = Generator[_Step, Any, Any]

_NOTHING = object()


def _read(answer: Answer, asked: _Asked) -> Any:
    """The JSON of an answer; _NOTHING when what was answered cannot be what was asked for, None without a body."""
    if answer.status == 304:
        return None
    try:
        value = _decoded(answer.body) if answer.body else None
    except DecodeError:
        return _NOTHING
    return value if asked.is_usable(value) else _NOTHING


def _request(channel: _Channel, asked: _Asked, call: _CallOptions) -> _Steps:
    """The answer of status 2xx or 304, and its JSON. Raises SvcError, TransportError, and whatever token source and middleware raise."""
    options = channel.options
    world = options.world
    name = call.name or asked.name
    more = _checked_headers(call.headers) if call.headers else {}
    deadline = world.now() + (options.timeout if call.timeout is None else _checked_timeout(call.timeout))
    #: Failures that were followed by another attempt, by their rules.
    repeated: list[_Rule] = []
    attempts = 0
    #: The last attempt that may have been carried out although nobody has told so.
    unclear: _Failure | None = None

    def error_for(failure: _Failure) -> Exception:
        if failure.problem is not None:
            location: Any = failure.problem.get("location")
            pointer: Any = location.get("pointer") if isinstance(location, dict) else None  # pyright: ignore
            step = asked.locate(pointer) if asked.locate and isinstance(pointer, str) else ""
            return _error_of(failure.problem, name, attempts, step)
        error = TransportError(failure.message, failure.phase, name, attempts, unclear is not None, failure.status)
        error.__cause__ = failure.cause
        if asked.read_only or unclear is None or failure.phase == "aborted":
            return error
        problem = {
            "status": 0,
            "code": "internal",
            "reason": "commit_outcome_unknown",
            "detail": f"the write may have happened: {failure.message}",
        }
        unknown = OutcomeUnknownError(problem, name, attempts)
        unknown.__cause__ = error
        return unknown

    def stopped() -> _Failure | None:
        if channel.is_closed:
            return _Failure(phase="aborted", message="the client is closed")
        if world.now() >= deadline:
            return _Failure(phase="timeout", message="no answer in time")
        return None

    may_ask_for_token = options.may_change_token
    is_ready = asked.before is None
    while True:
        over = stopped()
        if over is not None:
            raise error_for(over)
        try:
            if not is_ready:
                yield _Before(asked.before, deadline)
                is_ready = True
                continue
            token: str = options.token
            if options.may_change_token:
                token = yield _Token(deadline)
        except _Silence as silence:
            # The time has passed before there was anything to send.
            raise error_for(stopped() or _Failure(phase="timeout", message="no answer in time", cause=silence.cause)) from None
        own = asked.headers(token)
        headers = {**options.headers, **own, **more}
        if token:
            headers["authorization"] = f"Bearer {token}"
        if options.propagate:
            options.propagate(headers)
        attempts += 1
        operation = Operation(name, asked.kind, asked.method, asked.url, asked.body, attempts, headers, deadline - world.now())
        try:
            answer: Answer = yield _Send(operation)
            # 304 answers a question that has the tag of what is known; where none was asked, something else has answered.
            is_good = 200 <= answer.status < 300 or (answer.status == 304 and "if-none-match" in own)
            value = _read(answer, asked) if is_good else _NOTHING
            if value is not _NOTHING:
                return answer, value
            failure = _failure_in(answer, world.unix())
        except _Silence as silence:
            over = stopped()
            if over is not None:
                failure = over._replace(cause=silence.cause)
            elif isinstance(silence.cause, Unsent):
                failure = _Failure(phase="connect", message=f"no connection: {silence}", cause=silence.cause)
            else:
                failure = _Failure(phase="response", message=f"the connection broke off: {silence}", cause=silence.cause)
        if failure.problem is not None and failure.problem["reason"] == "invalid_token" and may_ask_for_token:
            may_ask_for_token = False
            continue
        rule = failure.rule()
        if rule.is_unclear:
            unclear = failure
        most = rule.reads if asked.read_only or (call.idempotent and rule.is_unclear) else rule.writes
        delay = _wait(rule, failure, len(repeated), options.longest_wait, world.random())
        is_over = repeated.count(rule) >= most or attempts >= options.attempts
        if is_over or stopped() is not None or world.now() + delay >= deadline:
            # What the server thinks of this attempt tells nothing of an earlier one, unless the data is what it finds fault with.
            is_unknown = unclear is not None and not asked.read_only and rule is not _FINAL
            raise error_for(unclear if is_unknown and unclear else failure)
        repeated.append(rule)
        yield _Pause(delay)


def _exchange_over(send: Callable[[Operation], Any], use: Sequence[Callable[[Operation, Any], Any]]) -> Callable[[Operation], Any]:
    """Middleware around a transport, the first one outermost."""

    def over(layer: Callable[[Operation, Any], Any], next: Callable[[Operation], Any]) -> Callable[[Operation], Any]:
        return lambda operation: layer(operation, next)

    for layer in reversed(use):
        send = over(layer, send)
    return send
