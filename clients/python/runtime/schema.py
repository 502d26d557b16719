"""Asks a server once whether its schema fits, before anything else is sent to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_JSON: Mapping[str, str] = {"content-type": "application/json"}


class _Guard:
    def __init__(self, channel: _Channel, origin: str, schema: _Schema) -> None:
        self.channel = channel
        self.origin = origin
        self.schema = schema
        self.is_fit = channel.options.schema == "off"
        #: The hash that was told last.
        self.drift = ""

    def check(self) -> _Steps:
        """Raises SchemaMismatchError, and when nobody answers."""
        options, schema = self.channel.options, self.schema
        body = f'{{"schema_version":{schema.version},"schema_hash":{_text(schema.hash)}}}'
        asked = _Asked(
            "schema check",
            "schema",
            "POST",
            f"{self.origin}/schema/compatibility",
            _encoded(body),
            lambda _: _JSON,
            True,
            None,
            lambda value: value is None,
        )
        try:
            yield from _request(self.channel, asked, _CallOptions())
        except SchemaMismatchError as error:
            if options.schema == "exact":
                raise
            yield from self._compare(asked, error)
        self.is_fit = True

    def _compare(self, asked: _Asked, error: SchemaMismatchError) -> _Steps:
        schema, options = self.schema, self.channel.options
        get = asked._replace(
            method="GET", url=f"{self.origin}/schema", body=None, headers=lambda _: {}, is_usable=lambda value: _tables_in(value) is not None
        )
        _, server = yield from _request(self.channel, get, _CallOptions())
        hash = server.get("schema_hash")
        if hash == schema.hash:
            return
        differences = _differences(schema.tables, _tables_in(server) or [])
        if differences:
            detail = f"the server's schema does not fit this client: {'; '.join(differences)}"
            mismatch = SchemaMismatchError({**error.problem, "detail": detail}, error.operation, error.attempts)
            mismatch.differences = tuple(differences)
            raise mismatch from error
        if hash != self.drift:
            self.drift = hash
            if options.on_drift:
                options.on_drift(server.get("schema_version"), hash)


def _tables_in(server: Any) -> list[Any] | None:
    schema: Any = server.get("schema") if isinstance(server, dict) else None  # pyright: ignore
    tables: Any = schema.get("tables") if isinstance(schema, dict) else None  # pyright: ignore
    return tables if isinstance(tables, list) else None  # pyright: ignore


def _differences(known: Sequence[_Table], server: Sequence[Any]) -> list[str]:
    """What of the known tables is not there, or not as it was; one sentence each."""
    found: list[str] = []
    by_name = {table.get("name"): table for table in server}
    for table in known:
        other = by_name.get(table.name)
        found.extend([f"table {table.name} is not there"] if other is None else _differences_in(table, other))
    return found


def _differences_in(known: _Table, server: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    theirs = {column["name"]: column for column in server.get("columns", [])}
    for column in known.columns:
        place = f"column {known.name}.{column.name}"
        other = theirs.get(column.name)
        mine = f"{_TYPES[column.code]} {column.format or _FORMATS.get(column.code, '')}".strip()
        wire = "" if other is None else f"{other.get('type')} {other.get('format', '')}".strip()
        if other is None:
            found.append(f"{place} is not there")
        elif wire != mine:
            found.append(f"{place} is {wire}, not {mine}")
        elif other.get("nullable") and not column.nullable:
            found.append(f"{place} may be null")
    mine_names = {column.name for column in known.columns}
    for name, other in theirs.items():
        if name not in mine_names and not other.get("nullable") and "default" not in other:
            found.append(f"column {known.name}.{name} is new, and an insert must give it")
    unique = [set(server.get("primary_key", []))]
    unique += [set(index["columns"]) for index in server.get("indexes", []) if index.get("unique")]
    for key in known.keys:
        names = [known.columns[i].name for i in key]
        if set(names) not in unique:
            found.append(f"{known.name}({', '.join(names)}) is not unique any more")
    return found


