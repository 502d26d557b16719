"""HTTP/1.1 over sockets that are kept: one transport that waits, and one of asyncio. Another one, such as httpx, is a function of an operation that gives
an Answer, and raises Unsent or Broken."""

from __future__ import annotations

import asyncio
import http.client
import select
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_IDLE_MAX = 32
_LINE_MAX = 1 << 16
_HEADERS_MAX = 200


def _place(url: str) -> tuple[str, str, int, str]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, parts.port or (443 if parts.scheme == "https" else 80), target or "/"


class _Transport:
    """Connections by their server, each used by one thread at a time."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self._context = context
        self._idle: dict[tuple[str, str, int], list[http.client.HTTPConnection]] = {}
        self._busy: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()
        self._is_closed = False

    def __call__(self, operation: Operation) -> Answer:
        deadline = time.monotonic() + operation.timeout
        scheme, host, port, target = _place(operation.url)
        place = (scheme, host, port)
        connection = self._take(place, operation.timeout)
        is_kept = False
        try:
            headers = {"host": host if port in (80, 443) else f"{f'[{host}]' if ':' in host else host}:{port}", **operation.headers}
            headers = {**headers, "accept-encoding": "identity"}
            connection.request(operation.method, target, operation.body, headers)
            self._limit(connection, deadline)
            response = connection.getresponse()
            parts: list[bytes] = []
            while True:
                self._limit(connection, deadline)
                part = response.read1(1 << 16)
                if not part:
                    break
                parts.append(part)
            if response.length:
                raise Broken(f"{response.length} bytes of the answer are missing")
            is_kept = not response.will_close
            # The connection takes no other request before.
            response.close()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, b"".join(parts))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Broken(str(error) or type(error).__name__) from error
        finally:
            self._give(place, connection, is_kept)

    @staticmethod
    def _limit(connection: http.client.HTTPConnection, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer in time")
        sock: Any = connection.sock
        if sock is not None:
            sock.settimeout(left)

    def _take(self, place: tuple[str, str, int], timeout: float) -> http.client.HTTPConnection:
        while True:
            with self._lock:
                if self._is_closed:
                    raise Unsent("the client is closed")
                idle = self._idle.get(place)
                connection = idle.pop() if idle else None
                if connection is not None:
                    self._busy.add(connection)
            if connection is None:
                break
            # What can be read of an idle connection is its end.
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                connection.sock.settimeout(timeout)
                return connection
            self._give(place, connection, False)
        scheme, host, port = place
        if scheme == "https":
            context = self._context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=timeout, context=context)
        else:
            connection = http.client.HTTPConnection(host, port, timeout=timeout)
        try:
            connection.connect()
        except (OSError, ValueError) as error:
            connection.close()
            raise Unsent(str(error) or type(error).__name__) from error
        with self._lock:
            self._busy.add(connection)
        return connection

    def _give(self, place: tuple[str, str, int], connection: http.client.HTTPConnection, is_kept: bool) -> None:
        with self._lock:
            self._busy.discard(connection)
            idle = self._idle.setdefault(place, [])
            if is_kept and not self._is_closed and len(idle) < _IDLE_MAX:
                idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle = [connection for some in self._idle.values() for connection in some]
            busy = list(self._busy)
            self._idle.clear()
        for connection in idle:
            connection.close()
        for connection in busy:
            sock: Any = connection.sock
            if sock is not None:
                try:
                    # Wakes the thread that waits for it.
                    sock.shutdown(2)
                except OSError:
                    pass


class _Stream:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer


class _AsyncTransport:
    """Connections by their server, of one event loop."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self._context = context
        self._idle: dict[tuple[str, str, int], list[_Stream]] = {}
        self._is_closed = False

    async def __call__(self, operation: Operation) -> Answer:
        scheme, host, port, target = _place(operation.url)
        place = (scheme, host, port)
        try:
            async with asyncio.timeout(operation.timeout):
                stream = await self._take(place)
        except (OSError, ValueError) as error:
            raise Unsent(str(error) or type(error).__name__) from error
        is_kept = False
        try:
            async with asyncio.timeout(operation.timeout):
                stream.writer.write(self._head(operation, host, port, target))
                if operation.body:
                    stream.writer.write(operation.body)
                await stream.writer.drain()
                answer, is_kept = await self._answer(stream.reader)
                return answer
        except (OSError, EOFError, ValueError) as error:
            raise Broken(str(error) or type(error).__name__) from error
        finally:
            # Also when the task is cancelled: half an answer must not reach the next one.
            idle = self._idle.setdefault(place, [])
            if is_kept and not self._is_closed and len(idle) < _IDLE_MAX:
                idle.append(stream)
            else:
                stream.writer.close()

    async def _take(self, place: tuple[str, str, int]) -> _Stream:
        if self._is_closed:
            raise OSError("the client is closed")
        idle = self._idle.get(place, [])
        while idle:
            stream = idle.pop()
            if not stream.reader.at_eof() and not stream.writer.is_closing():
                return stream
            stream.writer.close()
        scheme, host, port = place
        context = (self._context or ssl.create_default_context()) if scheme == "https" else None
        reader, writer = await asyncio.open_connection(host, port, ssl=context, limit=_LINE_MAX)
        return _Stream(reader, writer)

    @staticmethod
    def _head(operation: Operation, host: str, port: int, target: str) -> bytes:
        name = f"[{host}]" if ":" in host else host
        headers = {"host": name if port in (80, 443) else f"{name}:{port}", **operation.headers}
        headers["content-length"] = str(len(operation.body or b""))
        lines = [f"{operation.method} {target} HTTP/1.1", *[f"{key}: {value}" for key, value in headers.items()]]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[Answer, bool]:
        while True:
            version, _, rest = (await self._line(reader)).partition(" ")
            if not version.startswith("HTTP/1."):
                raise ValueError("the answer is no HTTP/1.1")
            status = int(rest[:3])
            headers = await self._headers(reader)
            if status >= 200:
                break
        is_kept = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        if status in (204, 304):
            body = b""
        elif "chunked" in headers.get("transfer-encoding", "").lower():
            body = await self._chunks(reader)
        elif "content-length" in headers:
            body = await reader.readexactly(int(headers["content-length"]))
        else:
            body, is_kept = await reader.read(), False
        return Answer(status, headers, body), is_kept

    async def _line(self, reader: asyncio.StreamReader) -> str:
        line = await reader.readuntil(b"\n")
        return line.decode("latin-1").rstrip("\r\n")

    async def _headers(self, reader: asyncio.StreamReader) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        for _ in range(_HEADERS_MAX):
            line = await self._line(reader)
            if not line:
                return headers
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        raise ValueError("the answer has too many headers")

    async def _chunks(self, reader: asyncio.StreamReader) -> bytes:
        parts: list[bytes] = []
        while True:
            size = int((await self._line(reader)).partition(";")[0], 16)
            if size == 0:
                await self._headers(reader)
                return b"".join(parts)
            parts.append(await reader.readexactly(size))
            await self._line(reader)

    async def close(self) -> None:
        self._is_closed = True
        for some in self._idle.values():
            for stream in some:
                stream.writer.close()
        self._idle.clear()
