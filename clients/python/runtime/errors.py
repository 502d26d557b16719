"""How operations fail: one class for each kind of problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal


class BuildError(Exception):
    """What of a query, a statement or an option cannot be: nothing was sent."""


class CursorError(Exception):
    """Not a cursor, or one of another query."""


class DecodeError(Exception):
    """An answer that does not fit what was asked: the server has another schema, or something else has answered."""


_GUARD_PREFIX = "ensure_"
_STATEMENT = re.compile(r'^statement "([^"]*)"')


def _statement_of(problem: Mapping[str, Any]) -> str:
    """The name of the statement that failed; the empty text where nobody tells."""
    location = problem.get("location")
    if isinstance(location, dict):
        binding: object = location.get("binding")  # pyright: ignore
        if isinstance(binding, str):
            return binding
    found = _STATEMENT.match(str(problem.get("detail", "")))
    return found[1] if found else ""


def _revived(kind: type[Exception], args: tuple[Any, ...], members: Mapping[str, Any]) -> Exception:
    """An error as it comes from another process, or as a copy."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(members)
    return error


class SvcError(Exception):
    """A failure that the server has told; `problem` is its problem document (RFC 7807) with all members."""

    problem: Mapping[str, Any]
    #: The HTTP status; 0 when there was no answer (OutcomeUnknownError).
    status: int
    code: str
    reason: str
    detail: str
    #: The operation that failed, and the requests that were made for it.
    operation: str
    attempts: int
    #: The step of the builder that the problem points at; the empty text when unknown.
    step: str

    def __init__(self, problem: Mapping[str, Any], operation: str, attempts: int, step: str = "") -> None:
        self.problem = problem
        self.status = problem.get("status", 0)
        self.code = str(problem.get("code", ""))
        self.reason = str(problem.get("reason", ""))
        self.detail = str(problem.get("detail", problem.get("title", "")))
        self.operation = operation
        self.attempts = attempts
        self.step = step
        where = f", {step}" if step else ""
        super().__init__(f"{operation}: {self.detail} ({self.reason}{where})")

    def __reduce__(self) -> Any:
        return _revived, (type(self), self.args, self.__dict__)

    def _member(self, member: str, name: str) -> str | None:
        found: Any = self.problem.get(member)
        value: Any = found.get(name) if isinstance(found, dict) else None  # pyright: ignore
        return value if isinstance(value, str) else None


class InvalidError(SvcError):
    """The program cannot be carried out as it stands."""


class ConstraintError(InvalidError):
    """A primary key, unique index, foreign key or NOT NULL refused a row."""

    @property
    def table(self) -> str | None:
        return self._member("execution", "table")

    @property
    def key(self) -> str | None:
        """The violated key or index, where the server names it."""
        return self._member("execution", "index")


class ReadOnlyError(InvalidError):
    """A write was sent to a process that only reads."""


class SchemaMismatchError(InvalidError):
    """The server has another schema than the client was generated from."""

    #: What does not fit, one sentence each; empty with `schema="exact"`, which does not look.
    differences: tuple[str, ...] = ()


class ExecutionError(SvcError):
    """The program failed while it ran: nothing has happened."""


class EnsureError(ExecutionError):
    """A guard of a program did not hold: nothing has happened."""

    @property
    def guard(self) -> str:
        """The guard's name."""
        return _statement_of(self.problem)[len(_GUARD_PREFIX) :]


class CardinalityError(ExecutionError):
    """A query of exactly one row had none, or several."""


class TargetNotFoundError(ExecutionError):
    """An update or a delete names a row that is not there."""


class LimitError(ExecutionError):
    """A bound on recursion, memory or time."""


class ConflictError(SvcError):
    """A race was lost, as often as was tried."""


class NotFoundError(SvcError):
    """What the request names is not there."""


class AuthError(SvcError):
    """The token is missing, invalid, or does not permit this."""


class InternalError(SvcError):
    """The server failed."""


class OutcomeUnknownError(InternalError):
    """A write may or may not have happened: look at the data before repeating."""


class OverloadedError(InternalError):
    """The server has too much to do."""


_BY_REASON: Mapping[str, type[SvcError]] = {
    "constraint_violation": ConstraintError,
    "read_only": ReadOnlyError,
    "schema_client_outdated": SchemaMismatchError,
    "schema_server_outdated": SchemaMismatchError,
    "schema_history_diverged": SchemaMismatchError,
    "cardinality_violation": CardinalityError,
    "mutation_target_not_found": TargetNotFoundError,
    "recursion_limit": LimitError,
    "memory_limit": LimitError,
    "deadline_exceeded": LimitError,
    "commit_outcome_unknown": OutcomeUnknownError,
    "overloaded": OverloadedError,
}

_BY_CODE: Mapping[str, type[SvcError]] = {
    "invalid": InvalidError,
    "execution_failed": ExecutionError,
    "conflict": ConflictError,
    "not_found": NotFoundError,
    "unauthenticated": AuthError,
    "forbidden": AuthError,
    "internal": InternalError,
}


def _error_of(problem: Mapping[str, Any], operation: str, attempts: int, step: str = "") -> SvcError:
    reason, code = str(problem.get("reason")), str(problem.get("code"))
    made = _BY_REASON.get(reason) or _BY_CODE.get(code) or SvcError
    if reason == "division_by_zero" and _statement_of(problem).startswith(_GUARD_PREFIX):
        made = EnsureError
    return made(problem, operation, attempts, step)


Phase = Literal["connect", "response", "timeout", "aborted", "protocol"]


class TransportError(Exception):
    """An operation without a usable answer: `connect` (nothing was sent), `response` (broken off after sending), `timeout`, `aborted` (by close),
    `protocol` (what answered is no svc server)."""

    phase: Phase
    operation: str
    attempts: int
    #: Whether the server may have received the operation.
    sent: bool
    #: Of an answer that cannot be read.
    status: int | None

    def __init__(self, message: str, phase: Phase, operation: str, attempts: int, sent: bool, status: int | None = None) -> None:
        self.phase = phase
        self.operation = operation
        self.attempts = attempts
        self.sent = sent
        self.status = status
        super().__init__(f"{operation}: {message}")

    def __reduce__(self) -> Any:
        return _revived, (type(self), self.args, self.__dict__)
