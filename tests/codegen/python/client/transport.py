"""Answers as they come over a socket, whole, in pieces, wrong or too short: to the client that waits and to that of asyncio."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable
from typing import Any

from db import AsyncClient, BuildError, Client, DecodeError, OutcomeUnknownError, TransportError, Users, posts, users

from checks import raises, run_checks, same

BODY = json.dumps({"result": {"id": 1, "handle": "é😀", "bio": None}}, ensure_ascii=False).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKS = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"%x;x=y\r\n%s\r\n" % (1, BODY[i : i + 1]) for i in range(len(BODY))) + b"0\r\nX: y\r\n\r\n"


class Server:
    """Gives each connection its pieces, one list of them for each request, and closes it after the last one."""

    def __init__(self, *connections: list[list[bytes]]) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections = list(connections)
        self.requests: list[bytes] = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        for answers in self.connections:
            connection, _ = self.listener.accept()
            with connection:
                for pieces in answers:
                    self.requests.append(self.read(connection))
                    for piece in pieces:
                        connection.sendall(piece)
        self.listener.close()

    def read(self, connection: socket.socket) -> bytes:
        text = b""
        while b"\r\n\r\n" not in text:
            text += connection.recv(65536)
        head, _, body = text.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(body) < length:
            body += connection.recv(65536)
        return head + b"\r\n\r\n" + body


def ask(is_async: bool, server: Server, *operations: Any, **options: Any) -> list[Any]:
    if not is_async:
        with Client(server.url, schema="off", **options) as client:
            return [client.run(operation) for operation in operations]

    async def go() -> list[Any]:
        async with AsyncClient(server.url, schema="off", **options) as client:
            return [await client.run(operation) for operation in operations]

    return asyncio.run(go())


def both(check: Callable[[bool], None]) -> None:
    check(False)
    check(True)


ONE = users.get(1)
WANTED = Users(1, "é😀", None)


def check_answers_in_every_form() -> None:
    def check(is_async: bool) -> None:
        for answer in (
            [WHOLE],
            [WHOLE[i : i + 1] for i in range(len(WHOLE))],
            [CHUNKS],
            [HEAD + b"\r\n" + BODY],
            [b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + WHOLE],
            [WHOLE.replace(b"\r\n", b"\n", 3)],
            [WHOLE.replace(b"HTTP/1.1", b"HTTP/1.0")],
        ):
            same(ask(is_async, Server([answer]), ONE), [WANTED])

    both(check)


def check_a_connection_serves_again() -> None:
    def check(is_async: bool) -> None:
        server = Server([[WHOLE], [CHUNKS], [WHOLE]])
        same(ask(is_async, server, ONE, ONE, ONE), [WANTED] * 3)
        closing = WHOLE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)
        same(ask(is_async, Server([[closing]], [[WHOLE]]), ONE, ONE), [WANTED] * 2)
        head = server.requests[0].partition(b"\r\n\r\n")[0].decode().lower().split("\r\n")
        same(head[0], "post /execute http/1.1")
        same(f"host: {server.url[7:]}" in head, True)

    both(check)


def check_a_server_that_hangs_up_between_is_met_anew() -> None:
    def check(is_async: bool) -> None:
        same(ask(is_async, Server([[WHOLE]], [[WHOLE]]), ONE, ONE), [WANTED] * 2)

    both(check)


class Twice(Server):
    """Gives two answers to each request, and keeps the connections."""

    def serve(self) -> None:
        for _ in range(2):
            connection, _ = self.listener.accept()
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection:
            while connection.recv(65536):
                connection.sendall(WHOLE + HEAD + b"Content-Length: 15\r\n\r\n" + b'{"result":null}')


def check_an_answer_too_many_is_nobodys() -> None:
    both(lambda is_async: same(ask(is_async, Twice(), ONE, ONE), [WANTED] * 2))


class Silent(Server):
    """Takes what comes, and says nothing."""

    def serve(self) -> None:
        kept = []
        while True:
            connection, _ = self.listener.accept()
            kept.append(connection)


def check_deadlines_before_there_is_something_to_send() -> None:
    def check(is_async: bool) -> None:
        for schema in ("verify", "off"):
            server = Silent()
            made = AsyncClient if is_async else Client

            async def later() -> None:
                async with made(server.url, schema=schema, timeout=0.2) as client:  # noqa: B023
                    await client.run(ONE)

            def now() -> None:
                with made(server.url, schema=schema, timeout=0.2) as client:  # noqa: B023
                    client.run(ONE)

            error = raises(TransportError, lambda: asyncio.run(later()) if is_async else now())  # noqa: B023
            same(error.phase, "timeout")

    both(check)


def check_a_token_that_never_comes_is_asked_for_again() -> None:
    asked = []

    async def token() -> str:
        asked.append(1)
        if len(asked) == 1:
            await asyncio.Event().wait()
        return "t"

    async def go() -> None:
        async with AsyncClient(Server([[WHOLE]]).url, schema="off", token=token) as client:
            error = None
            try:
                await client.run(ONE, timeout=0.05)
            except TransportError as found:
                error = found
            same(error is not None and error.phase, "timeout")
            same(await client.run(ONE), WANTED)

    asyncio.run(go())
    same(len(asked), 2)


def check_close_ends_what_is_under_way() -> None:
    async def go() -> None:
        client = AsyncClient(Silent().url, schema="off", timeout=60)
        work = [asyncio.ensure_future(client.run(ONE)) for _ in range(3)]
        while len(client._transport._busy) < 3:  # type: ignore
            await asyncio.sleep(0)
        await client.close()
        for each in await asyncio.gather(*work, return_exceptions=True):
            same((type(each).__name__, "the client is closed" in str(each)), ("TransportError", True))

    asyncio.run(go())


def check_headers_of_the_clients_own() -> None:
    for name in ("Host", "content-length", "Transfer-Encoding"):
        raises(BuildError, lambda: Client("svc://x", headers={name: "1"}))  # noqa: B023


class Trickle(Server):
    """Sends a header that never ends, a byte at a time."""

    def serve(self) -> None:
        connection, _ = self.listener.accept()
        self.read(connection)
        with connection:
            try:
                connection.sendall(HEAD)
                while True:
                    connection.sendall(b"x")
                    threading.Event().wait(0.02)
            except OSError:
                pass


def check_a_deadline_holds_for_bytes_one_by_one() -> None:
    def check(is_async: bool) -> None:
        error = raises(TransportError, lambda: ask(is_async, Trickle(), ONE, timeout=0.3))
        same(error.phase, "timeout")

    both(check)


def check_answers_that_break_off() -> None:
    insert = users.insert({"id": 1, "handle": "a"})

    def check(is_async: bool) -> None:
        for answer in (
            [],
            [WHOLE[:-1]],
            [WHOLE[:30]],
            [CHUNKS[:-10]],
            [b"SSH-2.0-x\r\n\r\n"],
            [b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 300 + b"\r\n"],
            [b"HTTP/1.1 200 OK\r\nx: " + b"y" * 200_000 + b"\r\n\r\n"],
            [HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"],
            [HEAD + b"Content-Length: 99999999999999999999\r\n\r\n" + BODY],
            [HEAD + b"Content-Length: many\r\n\r\n" + BODY],
        ):
            error = raises(TransportError, lambda: ask(is_async, Server([answer]), ONE, attempts=1))  # noqa: B023
            same((error.phase, error.sent), ("response", True))
            raises(OutcomeUnknownError, lambda: ask(is_async, Server([answer]), insert))  # noqa: B023
        same(ask(is_async, Server([[WHOLE[:-1]]], [[WHOLE]]), ONE), [WANTED])

    both(check)


def check_rows_fit_what_was_asked() -> None:
    def answer(result: Any) -> bytes:
        body = (f'{{"result":{result}}}' if isinstance(result, str) else json.dumps({"result": result})).encode()
        return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body

    user = {"id": 1, "handle": "a", "bio": None}
    named = users.select(lambda u: {"id": u.id, "handle": u.handle})
    rated = posts.select(lambda p: {"rating": p.rating, "of": p.author.select(lambda u: {"bio": u.bio})})

    def check(is_async: bool) -> None:
        def got(query: Any, result: Any) -> Any:
            return ask(is_async, Server([[answer(result)]]), query)[0]

        # Members that nobody asked for are left out; order is free.
        same(got(users, [{"new": 1, "bio": None, **user}]), [Users(1, "a", None)])
        same(got(named, [{"new": 1, "handle": "a", "id": 1}]), [{"id": 1, "handle": "a"}])
        same(got(named.first(), {"id": 1, "handle": "a", "new": {}}), {"id": 1, "handle": "a"})
        # JSON has no float that is whole.
        found = got(rated, [{"rating": 3, "of": {"bio": "b", "new": 1}}, {"rating": None, "of": {"bio": None}}, {"rating": 0.5, "of": {"bio": "c"}}])
        same(found, [{"rating": 3.0, "of": {"bio": "b"}}, {"rating": None, "of": {"bio": None}}, {"rating": 0.5, "of": {"bio": "c"}}])
        same(type(found[0]["rating"]), float)
        # A zero below zero stays one, wherever it stands; what only looks like one changes nothing.
        for text in ('[{"rating":-0}]', '[{"rating":-0 }]', '[{"rating":-0.0}]', '[{"of": "2026-01-05", "rating":-0,"new":1}]', '[{"new":[-0],"rating":-0\n}]'):
            ratings = got(posts.select(lambda p: {"rating": p.rating}), text)
            same(str(ratings[0]["rating"]), "-0.0")
        same(got(users, '[{"id":-5,"handle":"1-0,1","bio":"-0"}]'), [Users(-5, "1-0,1", "-0")])
        for query, wrong in (
            (users, [user, {"id": 1, "handle": "a"}]),
            (users, [user, None]),
            (users, {"id": 1}),
            (users, 7),
            (named, [{"id": 1, "name": "a"}]),
            (named, [["id", "handle"]]),
            (named.first(), [user]),
            (rated, [{"rating": 1}]),
            (rated, [{"rating": 1, "of": {}}]),
            (users.select(lambda u: (u.id, u.bio)), [{"id": 1}]),
            (users.select(lambda u: u.id), ["id"]),
        ):
            raises(DecodeError, lambda: got(query, wrong))  # noqa: B023

        def refuse(*_: Any) -> Any:
            raise ValueError("mine")

        # What the application raises stays what it is.
        same(str(raises(ValueError, lambda: got(users.into(refuse), [user]))), "mine")

    both(check)


def check_a_server_that_says_nothing_is_left_in_time() -> None:
    def check(is_async: bool) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        server: Any = type("Silent", (), {"url": f"http://127.0.0.1:{listener.getsockname()[1]}"})
        error = raises(TransportError, lambda: ask(is_async, server, ONE, timeout=0.2))
        same((error.phase, error.sent), ("timeout", True))
        listener.close()

    both(check)


run_checks(globals())
