"""Values of applications as text of the wire, and back. A code tells the type of a column: t text, i int64, f float64, b bool, x bytes, u uuid,
l ulid, d xid, D milliseconds since 1970 as datetime."""

from __future__ import annotations

import base64
import json
import math
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from json.encoder import encode_basestring  # type: ignore
from typing import Any

_TYPES: Mapping[str, str] = {
    "t": "text",
    "i": "int64",
    "D": "int64",
    "f": "float64",
    "b": "bool",
    "x": "bytes",
    "u": "bytes",
    "l": "bytes",
    "d": "bytes",
}
_FORMATS: Mapping[str, str] = {"u": "uuid", "l": "ulid", "d": "xid", "D": "unix_ms"}
_CODES: Mapping[str, str] = {"text": "t", "int64": "i", "float64": "f", "bool": "b", "bytes": "x"}

#: JSON of a text with the escapes that JSON demands, and no others.
_text: Callable[[str], str] = encode_basestring

_INT_MIN, _INT_MAX = -(2**63), 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
#: What a datetime can be, in UTC.
_DATE_MIN = (datetime.min.replace(tzinfo=timezone.utc) - _EPOCH) // _MILLISECOND
_DATE_MAX = (datetime.max.replace(tzinfo=timezone.utc) - _EPOCH) // _MILLISECOND


def _float_text(value: float) -> str:
    """As ECMAScript prints a finite number; -0 as -0.0."""
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0"
    sign, digits, places = "-" if value < 0 else "", *_digits(abs(value))
    count = len(digits)
    if count <= places <= 21:
        return sign + digits + "0" * (places - count)
    if 0 < places <= 21:
        return f"{sign}{digits[:places]}.{digits[places:]}"
    if -6 < places <= 0:
        return sign + "0." + "0" * -places + digits
    point = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{point}e{places - 1:+d}"


def _digits(value: float) -> tuple[str, int]:
    """The shortest digits that stand for the number, and how many of them stand before the point."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, rest = mantissa.partition(".")
    digits = whole + rest
    bare = digits.lstrip("0")
    places = len(whole) + int(exponent or 0) - (len(digits) - len(bare))
    return bare.rstrip("0"), places


_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LOW_HEX = "0123456789abcdefghijklmnopqrstuv"
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_ULID = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}", re.IGNORECASE | re.ASCII)
_XID = re.compile("[0-9a-v]{19}[0g]", re.ASCII)


def _bytes_of_ulid(text: str) -> bytes | None:
    if not _ULID.fullmatch(text):
        return None
    bits = 0
    for digit in text.upper():
        bits = bits << 5 | _CROCKFORD.index(digit)
    return bits.to_bytes(16, "big")


def _bytes_of_xid(text: str) -> bytes | None:
    if not _XID.fullmatch(text):
        return None
    bits = 0
    for digit in text:
        bits = bits << 5 | _LOW_HEX.index(digit)
    return (bits >> 4).to_bytes(12, "big")


def _base32(bits: int, alphabet: str, count: int) -> str:
    text = ""
    for _ in range(count):
        text = alphabet[bits & 31] + text
        bits >>= 5
    return text


def _ulid_of(found: bytes) -> str:
    return _base32(int.from_bytes(found, "big"), _CROCKFORD, 26)


def _xid_of(found: bytes) -> str:
    return _base32(int.from_bytes(found, "big") << 4, _LOW_HEX, 20)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return _text(value[:40])
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"
    return str(value) if value is None or isinstance(value, (int, float)) else type(value).__name__


def _value_text(code: str, value: object, what: str) -> str:
    """JSON of a value that is not None, as it stands in a literal. `what` names the place in errors."""

    def refuse(wanted: str) -> BuildError:
        return BuildError(f"{what}: {wanted} is wanted, not {_shown(value)}")

    if code == "t":
        if not isinstance(value, str):
            raise refuse("a string")
        try:
            if not value.isascii():
                value.encode()
        except UnicodeEncodeError as error:
            raise BuildError(f"{what}: the text has a surrogate at {error.start}, which is no Unicode") from error
        return _text(value)
    if code == "b":
        if isinstance(value, bool):
            return "true" if value else "false"
        raise refuse("a bool")
    if code == "f":
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refuse("a finite number")
        try:
            number = float(value)
        except OverflowError:
            raise refuse("a finite number") from None
        if not math.isfinite(number) or number != value:
            raise refuse("a finite float")
        return f'"{_float_text(number)}"'
    if code == "D" and isinstance(value, datetime):
        if value.tzinfo is None:
            raise BuildError(f"{what}: the datetime has no time zone")
        value = (value - _EPOCH) // _MILLISECOND
    if code in "iD":
        if isinstance(value, bool) or not isinstance(value, int):
            raise refuse("an int" if code == "i" else "a datetime")
        if not _INT_MIN <= value <= _INT_MAX:
            raise refuse("an int64")
        if code == "D" and not _DATE_MIN <= value <= _DATE_MAX:
            raise refuse("a datetime of the years 1 to 9999, in UTC,")
        # A member of an enumeration prints its name.
        return f'"{int(value)}"'
    found: bytes | None = None
    if isinstance(value, (bytes, bytearray, memoryview)):
        found = bytes(value)
    elif code == "u" and isinstance(value, uuid.UUID):
        found = value.bytes
    elif code == "u" and isinstance(value, str) and _UUID.fullmatch(value):
        found = uuid.UUID(value).bytes
    elif code == "l" and isinstance(value, str):
        found = _bytes_of_ulid(value)
    elif code == "d" and isinstance(value, str):
        found = _bytes_of_xid(value)
    if found is None:
        raise refuse("bytes" if code == "x" else f"an identifier ({_FORMATS[code]})")
    return f'"{base64.b64encode(found).decode()}"'


def _from_base64(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _uuid_from(text: str) -> uuid.UUID:
    # Where an expression has mixed columns and literals, identifiers come as base64: the lengths differ.
    return uuid.UUID(bytes=_from_base64(text)) if len(text) == 24 else uuid.UUID(text)


def _ulid_from(text: str) -> str:
    return _ulid_of(_from_base64(text)) if len(text) == 24 else text


def _xid_from(text: str) -> str:
    return _xid_of(_from_base64(text)) if len(text) == 16 else text


def _datetime_from(value: int) -> datetime:
    try:
        return _EPOCH + value * _MILLISECOND
    except OverflowError as error:
        raise DecodeError(f"{value} ms since 1970 is no datetime: those are of the years 1 to 9999") from error


#: From the wire, by code; none where the value is the same there. None is looked after by who asks.
_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "x": _from_base64,
    "u": _uuid_from,
    "l": _ulid_from,
    "d": _xid_from,
    "D": _datetime_from,
}

_Reader = Callable[[Any], Any]


def _float_from(value: Any) -> Any:
    # JSON of a whole number reads as an int.
    return float(value) if value.__class__ is int else value


def _unless_none(decode: _Reader) -> _Reader:
    return lambda value: None if value is None else decode(value)


_READERS: Mapping[str, _Reader] = {"f": _float_from, **{code: _unless_none(decode) for code, decode in _DECODERS.items()}}

#: By code, None included; none where the value is the same on the wire.
_reader_of: Callable[[str], _Reader | None] = _READERS.get


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BuildError("a name has a surrogate, which is no Unicode") from error


#: -0 as JSON has it by itself, not in 1e-09, in the text of a date or of an identifier; what a text says like that only costs time.
_MINUS_ZERO = re.compile(rb"-0(?:[\],}\s]|\Z)")


def _decoded(body: bytes) -> Any:
    """JSON of an answer. Raises DecodeError."""
    try:
        # Python reads -0 as the integer that has no sign; reading each integer by a function takes as long again as all the rest.
        return json.loads(body, parse_int=_signed) if b"-0" in body and _MINUS_ZERO.search(body) else json.loads(body)
    except (ValueError, RecursionError) as error:
        raise DecodeError("the answer is no JSON") from error


def _signed(text: str) -> int | float:
    return -0.0 if text == "-0" else int(text)


