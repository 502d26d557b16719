"""HTTP/1.1 over sockets that are kept: one transport that waits, and one of asyncio. Another one, such as httpx, is a function of an operation that gives
an Answer, and raises Unsent or Broken."""

from __future__ import annotations

import asyncio
import functools
import io
import select
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

_IDLE_MAX = 32
_LINE_MAX = 1 << 16
_HEADERS_MAX = 200
#: Read at once: no answer gets more memory than it fills.
_PIECE = 1 << 20


@functools.lru_cache(64)
def _place(url: str) -> tuple[str, str, int, str]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, parts.port or (443 if parts.scheme == "https" else 80), target or "/"


def _head(operation: Operation, host: str, port: int, target: str) -> bytes:
    name = f"[{host}]" if ":" in host else host
    lines = [f"{operation.method} {target} HTTP/1.1", f"host: {name}" if port in (80, 443) else f"host: {name}:{port}"]
    lines += [f"{key}: {value}" for key, value in operation.headers.items()]
    lines.append(f"content-length: {len(operation.body or b'')}\r\n\r\n")
    return "\r\n".join(lines).encode("latin-1")


def _status_in(line: bytes) -> tuple[int, bool]:
    """The status, and whether the connection is kept unless a header says otherwise."""
    if not line.startswith(b"HTTP/1."):
        raise ValueError("the answer is no HTTP/1.1")
    return int(line[9:12]), line.startswith(b"HTTP/1.1")


def _header_in(line: bytes) -> tuple[str, str]:
    name, _, value = line.decode("latin-1").partition(":")
    return name.strip().lower(), value.strip()


class _Incoming(io.RawIOBase):
    """What comes over a socket, each piece before the deadline: a timeout of the socket would begin anew with every piece."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.deadline = 0.0
        self.waits = True

    def limit(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer in time")
        self.sock.settimeout(left)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if self.waits:
            self.limit()
            return self.sock.recv_into(buffer)
        self.sock.settimeout(0)
        try:
            return self.sock.recv_into(buffer)
        except (BlockingIOError, ssl.SSLWantReadError):
            return None


class _Connection:
    """A connection of one thread."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self.incoming = _Incoming(sock)
        self.reader = io.BufferedReader(self.incoming)

    def is_quiet(self) -> bool:
        """Nothing has come since the last answer: neither the end of the connection, nor what nobody has asked for."""
        if select.select([self.sock], [], [], 0)[0]:
            return False
        self.incoming.waits = False
        try:
            return not self.reader.peek(1)
        except OSError:
            return False
        finally:
            self.incoming.waits = True

    def exchange(self, request: bytes) -> tuple[Answer, bool]:
        """The answer, and whether the connection can serve another request."""
        self.incoming.limit()
        self.sock.sendall(request)
        while True:
            status, is_kept = _status_in(self.line())
            headers = self.headers()
            if status >= 200:
                break
        is_kept = is_kept and headers.get("connection", "").lower() != "close"
        if status in (204, 304):
            return Answer(status, headers, b""), is_kept
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return Answer(status, headers, self.chunks()), is_kept
        if "content-length" in headers:
            return Answer(status, headers, self.exactly(int(headers["content-length"]))), is_kept
        return Answer(status, headers, self.rest()), False

    def line(self) -> bytes:
        line = self.reader.readline(_LINE_MAX)
        if not line.endswith(b"\n"):
            raise EOFError("the answer ends too early")
        return line.rstrip(b"\r\n")

    def headers(self) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        for _ in range(_HEADERS_MAX):
            line = self.line()
            if not line:
                return headers
            name, value = _header_in(line)
            headers[name] = value
        raise ValueError("the answer has too many headers")

    def exactly(self, count: int) -> bytes:
        part = self.reader.read1(min(count, _PIECE)) if count > 0 else b""
        if len(part) == count:
            return part
        parts = [part]
        left = count - len(part)
        while left > 0:
            part = self.reader.read1(min(left, _PIECE))
            if not part:
                raise EOFError(f"{left} bytes of the answer are missing")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def rest(self) -> bytes:
        parts: list[bytes] = []
        while True:
            part = self.reader.read1(_PIECE)
            if not part:
                return b"".join(parts)
            parts.append(part)

    def chunks(self) -> bytes:
        parts: list[bytes] = []
        while True:
            size = int(self.line().partition(b";")[0], 16)
            if size == 0:
                self.headers()
                return b"".join(parts)
            parts.append(self.exactly(size))
            self.line()

    def close(self) -> None:
        self.reader.close()
        self.sock.close()


class _Transport:
    """Connections by their server, each used by one thread at a time."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self._context = context
        self._is_closed = False
        _now_and_in_children(self._begin)

    def _begin(self) -> None:
        self._idle: dict[tuple[str, str, int], list[_Connection]] = {}
        self._busy: set[_Connection] = set()
        self._lock = threading.Lock()

    def __call__(self, operation: Operation) -> Answer:
        deadline = time.monotonic() + operation.timeout
        scheme, host, port, target = _place(operation.url)
        place = (scheme, host, port)
        connection = self._take(place, operation.timeout)
        is_kept = False
        try:
            connection.incoming.deadline = deadline
            answer, is_kept = connection.exchange(_head(operation, host, port, target) + (operation.body or b""))
            return answer
        except (OSError, EOFError, ValueError, OverflowError) as error:
            raise Broken(str(error) or type(error).__name__) from error
        finally:
            self._give(place, connection, is_kept)

    def _take(self, place: tuple[str, str, int], timeout: float) -> _Connection:
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
            if connection.is_quiet():
                return connection
            self._give(place, connection, False)
        connection = self._connect(place, timeout)
        with self._lock:
            self._busy.add(connection)
        return connection

    def _connect(self, place: tuple[str, str, int], timeout: float) -> _Connection:
        scheme, host, port = place
        sock: socket.socket | None = None
        if timeout <= 0:
            raise Unsent("no connection in time")
        try:
            sock = socket.create_connection((host, port), timeout)
            if scheme == "https":
                context = self._context or ssl.create_default_context()
                sock = context.wrap_socket(sock, server_hostname=host)
            return _Connection(sock)
        except (OSError, ValueError) as error:
            if sock is not None:
                sock.close()
            raise Unsent(str(error) or type(error).__name__) from error

    def _give(self, place: tuple[str, str, int], connection: _Connection, is_kept: bool) -> None:
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
            try:
                # Wakes the thread that waits for it.
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _has_come(reader: asyncio.StreamReader) -> bool:
    """Whether there is something to read, or the end: a step of reading ends at once then, and waits otherwise."""
    step = reader.read(1)
    try:
        step.send(None)
    except (StopIteration, OSError):
        return True
    step.close()
    return False


class _Writer(asyncio.StreamWriter):
    """One that is forgotten stays as it is: closed in a process that was forked off, it would be lost for the parent's loop."""

    def __del__(self) -> None:
        pass


class _Stream:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.loop = asyncio.get_running_loop()


class _AsyncTransport:
    """Connections by their server, of one event loop."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self._context = context
        self._is_closed = False
        _now_and_in_children(self._begin)

    def _begin(self) -> None:
        self._idle: dict[tuple[str, str, int], list[_Stream]] = {}
        self._busy: set[_Stream] = set()

    async def __call__(self, operation: Operation) -> Answer:
        scheme, host, port, target = _place(operation.url)
        place = (scheme, host, port)
        deadline = asyncio.get_running_loop().time() + operation.timeout
        try:
            async with asyncio.timeout_at(deadline):
                stream = await self._take(place)
        except (OSError, ValueError) as error:
            raise Unsent(str(error) or type(error).__name__) from error
        is_kept = False
        self._busy.add(stream)
        try:
            async with asyncio.timeout_at(deadline):
                stream.writer.write(_head(operation, host, port, target))
                if operation.body:
                    stream.writer.write(operation.body)
                await stream.writer.drain()
                answer, is_kept = await self._answer(stream.reader)
                return answer
        except (OSError, EOFError, ValueError, OverflowError, asyncio.LimitOverrunError) as error:
            raise Broken(str(error) or type(error).__name__) from error
        finally:
            # Also when the task is cancelled: half an answer must not reach the next one.
            self._busy.discard(stream)
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
            if stream.loop is not asyncio.get_running_loop():
                # That loop has ended, and nothing can be done in it.
                continue
            if not stream.writer.is_closing() and not _has_come(stream.reader):
                return stream
            stream.writer.close()
        scheme, host, port = place
        context = (self._context or ssl.create_default_context()) if scheme == "https" else None
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LINE_MAX, loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.create_connection(lambda: protocol, host, port, ssl=context)
        return _Stream(reader, _Writer(transport, protocol, reader, loop))

    async def _answer(self, reader: asyncio.StreamReader) -> tuple[Answer, bool]:
        while True:
            status, is_kept = _status_in(await self._line(reader))
            headers = await self._headers(reader)
            if status >= 200:
                break
        is_kept = is_kept and headers.get("connection", "").lower() != "close"
        if status in (204, 304):
            body = b""
        elif "chunked" in headers.get("transfer-encoding", "").lower():
            body = await self._chunks(reader)
        elif "content-length" in headers:
            body = await reader.readexactly(int(headers["content-length"]))
        else:
            body, is_kept = await reader.read(), False
        return Answer(status, headers, body), is_kept

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        return (await reader.readuntil(b"\n")).rstrip(b"\r\n")

    async def _headers(self, reader: asyncio.StreamReader) -> Mapping[str, str]:
        headers: dict[str, str] = {}
        for _ in range(_HEADERS_MAX):
            line = await self._line(reader)
            if not line:
                return headers
            name, value = _header_in(line)
            headers[name] = value
        raise ValueError("the answer has too many headers")

    async def _chunks(self, reader: asyncio.StreamReader) -> bytes:
        parts: list[bytes] = []
        while True:
            size = int((await self._line(reader)).partition(b";")[0], 16)
            if size == 0:
                await self._headers(reader)
                return b"".join(parts)
            parts.append(await reader.readexactly(size))
            await self._line(reader)

    async def close(self) -> None:
        self._is_closed = True
        for stream in list(self._busy):
            if stream.loop is asyncio.get_running_loop():
                # Wakes the task that waits for it.
                stream.writer.transport.abort()
        for some in self._idle.values():
            for stream in some:
                if stream.loop is asyncio.get_running_loop():
                    stream.writer.close()
        self._idle.clear()
