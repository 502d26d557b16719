"""Expressions: values of rows, made by methods of each other. T is what it is compared with, D what it comes as: T, or T | None."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import Any, Generic, Literal, NoReturn, TypeVar, overload

_T = TypeVar("_T")
_N = TypeVar("_N", bound=float)
_D = TypeVar("_D", covariant=True)
_S = TypeVar("_S", covariant=True)
_E = TypeVar("_E")
_X = TypeVar("_X")


class Part(Generic[_D, _S]):
    """What can stand in a projection: an expression, or a query. D is what it comes as, S what callbacks above are given for it."""

    __slots__ = ()


class Term:
    """A term of an order."""

    __slots__ = ("_ex", "_desc")

    def __init__(self, ex: _Ex, desc: bool) -> None:
        self._ex = ex
        self._desc = desc


class _Ex:
    """`op` is a kind of LIR or an operator of one; `code` tells how the value comes back."""

    __slots__ = ("_op", "_args", "_code", "_nullable")

    _op: str
    _args: tuple[Any, ...]
    _code: str
    _nullable: bool

    def __init__(self, op: str, args: tuple[Any, ...], code: str, nullable: bool) -> None:
        self._op = op
        self._args = args
        self._code = code
        self._nullable = nullable

    def __bool__(self) -> NoReturn:
        raise BuildError("an expression has no truth value here: use and_, or_, not_, or & | ~ in brackets")

    def __eq__(self, other: object) -> bool:
        if other is not self:
            raise BuildError("expressions are compared by eq, ne, lt, lte, gt, gte, in_, same and is_null, not by ==")
        return True

    __hash__ = object.__hash__


def _make(op: str, args: tuple[Any, ...], code: str, nullable: bool) -> Any:
    return _CLASSES.get(code, Val)(op, args, code, nullable)


def _literal(code: str, value: object) -> Any:
    return _make("lit", (value,), code, value is None)


def _beside(other: object, code: str) -> Any:
    """A value beside an expression takes its type: `p.score.eq(3)`."""
    if isinstance(other, _Ex):
        return other
    if other is None:
        raise BuildError("nothing equals NULL: use is_null(), or same()")
    return _literal(code, other)


def _compare(op: str, left: _Ex, other: object) -> Bool[bool | None]:
    right = _beside(other, left._code)
    return Bool("binary", (op, left, right), "b", left._nullable or right._nullable)


def _all_of(parts: Sequence[_Ex]) -> Any:
    return reduce(lambda left, right: _compare("and", left, right), parts)


def _test(op: str, of: _Ex) -> Bool[bool]:
    return Bool("unary", (op, of), "b", False)


_ANY_MANY = '{"kind":"any_many"}'


def _match(of: _Ex, before: bool, text: str, after: bool, fold: bool) -> Bool[Any]:
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BuildError(f"a text is wanted, not {_shown(text)}")
    if text:
        parts = [_ANY_MANY] * before + [_literal_part(text)] + [_ANY_MANY] * after
    else:
        # A pattern has no empty literal.
        parts = [_ANY_MANY] if before or after else []
    return Bool("text_match", (of, parts, fold), "b", of._nullable)


def _literal_part(text: str) -> str:
    return f'{{"kind":"literal","value":{_text(text)}}}'


class Expr(_Ex, Generic[_T, _D]):
    """What all expressions can do."""

    __slots__ = ()

    def eq(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        """TRUE where both are equal; NULL where one is NULL."""
        return _compare("eq", self, other)

    def ne(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        return _compare("ne", self, other)

    def lt(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        return _compare("lt", self, other)

    def lte(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        return _compare("lte", self, other)

    def gt(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        return _compare("gt", self, other)

    def gte(self, other: _T | Expr[_T, Any]) -> Bool[bool | None]:
        return _compare("gte", self, other)

    def between(self, low: _T | Expr[_T, Any], high: _T | Expr[_T, Any]) -> Bool[bool | None]:
        """From low to high, both included."""
        found: Bool[bool | None] = _all_of([self.gte(low), self.lte(high)])
        return found

    def in_(self, values: Iterable[_T]) -> Bool[bool]:
        """TRUE where the value is one of these, FALSE for NULL."""
        if isinstance(values, (str, bytes)) or iter(values) is values:
            raise BuildError("in_ wants a list: a text is one value, and an iterator is read once")
        return Bool("in", (self, [_beside(value, self._code) for value in values]), "b", self._nullable)

    def same(self, other: _T | None | Expr[_T, Any]) -> Bool[bool]:
        """TRUE where both are equal or both NULL, else FALSE."""
        if other is None:
            return self.is_null()
        right = _beside(other, self._code)
        equal = _compare("eq", self, right)
        if not self._nullable and not right._nullable:
            return equal  # type: ignore[return-value]  # pyright: ignore
        both = _all_of([_test("is_null", self), _test("is_null", right)])
        certain = Bool[bool]("coalesce", (equal, _literal("b", False)), "b", False)
        return Bool("binary", ("or", certain, both), "b", False)

    def is_null(self) -> Bool[bool]:
        return _test("is_null", self)

    def is_not_null(self) -> Bool[bool]:
        return _test("is_not_null", self)

    def asc(self) -> Term:
        """From the least on, NULL first."""
        return Term(self, False)

    def desc(self) -> Term:
        """From the greatest on, NULL last."""
        return Term(self, True)

    def _or_else(self, other: object) -> Any:
        last = _beside(other, self._code)
        return _make("coalesce", (self, last), self._code, last._nullable)


class Val(Expr[_T, _D], Part[_D, "Val[_T, _D]"], Generic[_T, _D]):
    """Bytes, an identifier, or a time."""

    __slots__ = ()

    def or_else(self, other: _T | Val[_T, _T]) -> Val[_T, _T]:
        """The value, or other for NULL."""
        found: Val[_T, _T] = self._or_else(other)
        return found


class Num(Expr[_N, _D], Part[_D, "Num[_N, _D]"], Generic[_N, _D]):
    """A number: int for int64, float for float64."""

    __slots__ = ()

    def _by(self, op: str, other: object) -> Any:
        right = _beside(other, self._code)
        return _make("binary", (op, self, right), self._code, self._nullable or right._nullable)

    @overload
    def add(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def add(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def add(self, other: Any) -> Any:
        return self._by("add", other)

    @overload
    def sub(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def sub(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def sub(self, other: Any) -> Any:
        return self._by("sub", other)

    @overload
    def mul(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def mul(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def mul(self, other: Any) -> Any:
        return self._by("mul", other)

    @overload
    def div(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def div(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def div(self, other: Any) -> Any:
        """Integers are cut toward zero."""
        return self._by("div", other)

    @overload
    def __add__(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def __add__(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def __add__(self, other: Any) -> Any:
        return self._by("add", other)

    @overload
    def __sub__(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def __sub__(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def __sub__(self, other: Any) -> Any:
        return self._by("sub", other)

    @overload
    def __mul__(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def __mul__(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def __mul__(self, other: Any) -> Any:
        return self._by("mul", other)

    @overload
    def __truediv__(self, other: _N) -> Num[_N, _D]: ...
    @overload
    def __truediv__(self, other: Num[_N, _E]) -> Num[_N, _D | _E]: ...
    def __truediv__(self, other: Any) -> Any:
        return self._by("div", other)

    def neg(self) -> Num[_N, _D]:
        found: Num[_N, _D] = _make("unary", ("negate", self), self._code, self._nullable)
        return found

    def __neg__(self) -> Num[_N, _D]:
        return self.neg()

    def or_else(self, other: _N | Num[_N, _N]) -> Num[_N, _N]:
        """The number, or other for NULL."""
        found: Num[_N, _N] = self._or_else(other)
        return found

    @overload
    def float(self: Num[Any, _N]) -> Num[float, float]: ...
    @overload
    def float(self: Num[Any, _N | None]) -> Num[float, float | None]: ...
    def float(self) -> Any:
        """As a float64."""
        return _cast(self, "f")

    @overload
    def int(self: Num[Any, _N]) -> Num[int, int]: ...
    @overload
    def int(self: Num[Any, _N | None]) -> Num[int, int | None]: ...
    def int(self) -> Any:
        """As an int64, cut toward zero; an error where there is none."""
        return _cast(self, "i")


def _cast(of: _Ex, code: str) -> Any:
    if _TYPES[of._code] == _TYPES[code]:
        return _make("as", (of,), code, of._nullable)
    return _make("cast", (of, _TYPES[code]), code, of._nullable)


class Text(Expr[str, _D], Part[_D, "Text[_D]"], Generic[_D]):
    """A text."""

    __slots__ = ()

    def or_else(self, other: str | Text[str]) -> Text[str]:
        """The text, or other for NULL."""
        found: Text[str] = self._or_else(other)
        return found

    def starts_with(self, text: str, *, fold: bool = False) -> Bool[bool | None]:
        """`fold`: without regard to case."""
        return _match(self, False, text, True, fold)

    def ends_with(self, text: str, *, fold: bool = False) -> Bool[bool | None]:
        return _match(self, True, text, False, fold)

    def contains(self, text: str, *, fold: bool = False) -> Bool[bool | None]:
        return _match(self, True, text, True, fold)

    def match(self, pattern: str, *, fold: bool = False) -> Bool[bool | None]:
        """A pattern with `*` for any text."""
        if not isinstance(pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise BuildError(f"a text is wanted, not {_shown(pattern)}")
        parts: list[str] = []
        for i, part in enumerate(pattern.split("*")):
            if i > 0:
                parts.append(_ANY_MANY)
            if part:
                parts.append(_literal_part(part))
        return Bool("text_match", (self, parts, fold), "b", self._nullable)


def _condition(other: object) -> object:
    """What Python has found out by itself, such as `==` or `in`, is no test of a row."""
    if not isinstance(other, _Ex):
        raise BuildError(f"a test is wanted, not {_shown(other)}: lit('bool', …) is one")
    return other


class Bool(Expr[bool, _D], Part[_D, "Bool[_D]"], Generic[_D]):
    """A truth value."""

    __slots__ = ()

    @overload
    def and_(self: Bool[bool], other: Expr[bool, bool]) -> Bool[bool]: ...
    @overload
    def and_(self, other: Expr[bool, Any]) -> Bool[bool | None]: ...
    def and_(self, other: Any) -> Any:
        return _compare("and", self, _condition(other))

    @overload
    def or_(self: Bool[bool], other: Expr[bool, bool]) -> Bool[bool]: ...
    @overload
    def or_(self, other: Expr[bool, Any]) -> Bool[bool | None]: ...
    def or_(self, other: Any) -> Any:
        return _compare("or", self, _condition(other))

    def not_(self) -> Bool[_D]:
        return Bool("unary", ("not", self), "b", self._nullable)

    def __and__(self, other: Expr[bool, Any]) -> Bool[bool | None]:
        return _compare("and", self, _condition(other))

    def __or__(self, other: Expr[bool, Any]) -> Bool[bool | None]:
        return _compare("or", self, _condition(other))

    def __invert__(self) -> Bool[_D]:
        return self.not_()

    def or_else(self, other: bool | Bool[bool]) -> Bool[bool]:
        """The truth value, or other for NULL."""
        found: Bool[bool] = self._or_else(other)
        return found


class Soft(Expr[int, int], Part[int, "Soft"]):
    """A count as a value: never NULL in answers, but the server cannot know that, and no column without NULL takes it as it is. `or_else` makes it fit."""

    __slots__ = ()

    def add(self, other: int | Num[int, int] | Soft) -> Soft:
        found: Soft = _soft(self, "add", other)
        return found

    def sub(self, other: int | Num[int, int] | Soft) -> Soft:
        found: Soft = _soft(self, "sub", other)
        return found

    def mul(self, other: int | Num[int, int] | Soft) -> Soft:
        found: Soft = _soft(self, "mul", other)
        return found

    def div(self, other: int | Num[int, int] | Soft) -> Soft:
        found: Soft = _soft(self, "div", other)
        return found

    def or_else(self, other: int | Num[int, int]) -> Num[int, int]:
        found: Num[int, int] = self._or_else(other)
        return found


def _soft(left: _Ex, op: str, other: object) -> Any:
    right = _beside(other, left._code)
    return Soft("binary", (op, left, right), left._code, True)


_CLASSES: dict[str, type[Any]] = {"i": Num, "f": Num, "t": Text, "b": Bool}


def _fold(fn: str, of: _Ex | None, code: str) -> Any:
    return _make("fold", (fn, of), code, fn != "count")


def count() -> Num[int, int]:
    """How many rows; stands in `group` and `fold`, as sum_, avg, min_ and max_ do."""
    found: Num[int, int] = _fold("count", None, "i")
    return found


def sum_(of: Num[_N, Any]) -> Num[_N, _N | None]:
    """The sum of what is not NULL; NULL of nothing."""
    found: Num[_N, _N | None] = _fold("sum", of, of._code)
    return found


def avg(of: Num[Any, Any]) -> Num[float, float | None]:
    """The mean of what is not NULL; NULL of nothing."""
    found: Num[float, float | None] = _fold("avg", of, "f")
    return found


@overload
def min_(of: Num[_N, Any]) -> Num[_N, _N | None]: ...
@overload
def min_(of: Text[Any]) -> Text[str | None]: ...
@overload
def min_(of: Bool[Any]) -> Bool[bool | None]: ...
@overload
def min_(of: Val[_T, Any]) -> Val[_T, _T | None]: ...
def min_(of: Any) -> Any:
    """The least of what is not NULL; NULL of nothing."""
    return _fold("min", of, of._code)


@overload
def max_(of: Num[_N, Any]) -> Num[_N, _N | None]: ...
@overload
def max_(of: Text[Any]) -> Text[str | None]: ...
@overload
def max_(of: Bool[Any]) -> Bool[bool | None]: ...
@overload
def max_(of: Val[_T, Any]) -> Val[_T, _T | None]: ...
def max_(of: Any) -> Any:
    """The greatest of what is not NULL; NULL of nothing."""
    return _fold("max", of, of._code)


LirType = Literal["text", "int64", "float64", "bool", "bytes"]


@overload
def lit(type: Literal["text"], value: str) -> Text[str]: ...
@overload
def lit(type: Literal["int64"], value: int) -> Num[int, int]: ...
@overload
def lit(type: Literal["float64"], value: float) -> Num[float, float]: ...
@overload
def lit(type: Literal["bool"], value: bool) -> Bool[bool]: ...
@overload
def lit(type: Literal["bytes"], value: bytes) -> Val[bytes, bytes]: ...
@overload
def lit(type: Literal["text"], value: None) -> Text[str | None]: ...
@overload
def lit(type: Literal["int64"], value: None) -> Num[int, int | None]: ...
@overload
def lit(type: Literal["float64"], value: None) -> Num[float, float | None]: ...
@overload
def lit(type: Literal["bool"], value: None) -> Bool[bool | None]: ...
@overload
def lit(type: Literal["bytes"], value: None) -> Val[bytes, bytes | None]: ...
def lit(type: str, value: Any) -> Any:
    """A value as an expression; NULL of a type."""
    if type not in _CODES:
        raise BuildError(f"{type!r} is no type: {', '.join(_CODES)}")
    return _literal(_CODES[type], value)


_Like = TypeVar("_Like", bound=Expr[Any, Any])


class Branch(Generic[_X]):
    """Under way from `when` to `else_`."""

    def __init__(self, arms: Sequence[tuple[_Ex, object]]) -> None:
        self._arms = arms

    def when(self, test: Expr[bool, Any], then: _X) -> Branch[_X]:
        """The next test, where none before was TRUE."""
        return Branch([*self._arms, (test, then)])

    def else_(self, otherwise: _X) -> _X:
        """What it is where no test is TRUE."""
        results = [*(then for _, then in self._arms), otherwise]
        known = next((one for one in results if isinstance(one, _Ex)), None)
        code = known._code if known is not None else _code_of(next((one for one in results if one is not None), None))
        exs = [one if isinstance(one, _Ex) else _literal(code, one) for one in results]
        arms = [(test, exs[i]) for i, (test, _) in enumerate(self._arms)]
        nullable = any(one._nullable for one in exs)
        found: _X = _make("branch", (arms, exs[-1]), code, nullable)
        return found


def _code_of(value: object) -> str:
    for kind, code in ((bool, "b"), (int, "i"), (str, "t"), (float, "f"), (bytes, "x")):
        if isinstance(value, kind):
            return code
    raise BuildError(f"{value!r} is no value of a column: use lit(type, value)")


def when(test: Expr[bool, Any], then: _Like) -> Branch[_Like]:
    """`when(p, x).when(q, y).else_(z)`: the value behind the first test that is TRUE."""
    return Branch([(test, then)])



_Call = Callable[..., Any]
