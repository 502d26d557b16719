"""Errors of operations: one class for each kind of problem."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal


class BuildError(Exception):
    """A query, a statement or an option is invalid. Nothing was sent."""


class CursorError(Exception):
    """A text that is not a cursor, or a cursor of another query."""


class DecodeError(Exception):
    """A response that does not fit the request: the server has another schema, or another program has responded."""


_GUARD_PREFIX = "ensure_"
_STATEMENT = re.compile(r'^statement "([^"]*)"')


def _statement_of(problem: Mapping[str, Any]) -> str:
    """Returns the name of the failed statement; the empty string if the problem does not contain it."""
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
    """A problem that the server reports. `problem` is its problem document (RFC 9457) with all members."""

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
    """The program is invalid."""


class ConstraintError(InvalidError):
    """A row violates a primary key, a unique index, a foreign key or NOT NULL."""

    @property
    def table(self) -> str | None:
        return self._member("execution", "table")

    @property
    def key(self) -> str | None:
        """The violated key or index; None if the server does not name it."""
        return self._member("execution", "index")


class ReadOnlyError(InvalidError):
    """A write was sent to a read-only reader."""


class SchemaMismatchError(InvalidError):
    """The server has another schema than the client was generated from."""

    #: What does not fit, one sentence each; empty with `schema="exact"`, which does not look.
    differences: tuple[str, ...] = ()


class ExecutionError(SvcError):
    """The program failed during its execution. Nothing was changed."""


class EnsureError(ExecutionError):
    """A guard of a program failed. Nothing was changed."""

    @property
    def guard(self) -> str:
        """Name of the failed guard."""
        return _statement_of(self.problem)[len(_GUARD_PREFIX) :]


class CardinalityError(ExecutionError):
    """A query that must return exactly one row returned none or several."""


class TargetNotFoundError(ExecutionError):
    """An update or a delete names a row that does not exist."""


class LimitError(ExecutionError):
    """A limit of recursion, memory, result size or time was exceeded."""


class ConflictError(SvcError):
    """All attempts had a conflict: another commit came first."""


class NotFoundError(SvcError):
    """The object that the request names does not exist."""


class AuthError(SvcError):
    """The token is missing or invalid, or does not permit the operation."""


class InternalError(SvcError):
    """The server failed."""


class OutcomeUnknownError(InternalError):
    """A write may or may not have been applied. Check the data before you repeat it."""


class OverloadedError(InternalError):
    """The server is overloaded."""


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
    "result_limit": LimitError,
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
    """An operation without a usable response. The phases are `connect` (nothing was sent), `response` (the connection broke after sending), `timeout`,
    `aborted` (by close) and `protocol` (the response is not that of an svc server)."""

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
