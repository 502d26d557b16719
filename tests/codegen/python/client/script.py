"""A transport that gives what is written down, below a client whose clock only waits move."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from db import Answer, AsyncClient, Client, Operation
from db._runtime import _World


class Script:
    """A transport that gives what is written down, and a world whose clock only waits move."""

    def __init__(self, outcomes: list[Any], chance: float = 0.5) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[Operation] = []
        self.waits: list[float] = []
        self.clock = 0.0
        self.world = _World(lambda: self.clock, lambda: 1_700_000_000.0, lambda: chance, self.sleep)

    def sleep(self, seconds: float) -> None:
        self.waits.append(round(seconds, 6))
        self.clock += seconds

    async def pause(self, seconds: float) -> None:
        self.sleep(seconds)

    def send(self, operation: Operation) -> Answer:
        self.requests.append(operation)
        outcome = self.outcomes.pop(0)
        if callable(outcome):
            outcome = outcome(self)
        if isinstance(outcome, Exception):
            raise outcome
        status, body, *headers = outcome
        text = body if isinstance(body, str) else json.dumps(body)
        told = {name.replace("_", "-"): value for name, value in headers[0].items()} if headers else {}
        return Answer(status, told, text.encode())

    async def send_later(self, operation: Operation) -> Answer:
        await asyncio.sleep(0)
        return self.send(operation)

    def run(self, what: Any, is_async: bool, **options: Any) -> Any:
        call = {name: options.pop(name) for name in ("idempotent", "timeout", "name") if name in options}
        if not is_async:
            with Client("svc://x", schema="off", transport=self.send, _world=self.world, **options) as client:
                return client.run(what, **call)

        async def go() -> Any:
            world = self.world._replace(sleep=self.pause)
            async with AsyncClient("svc://x", schema="off", transport=self.send_later, _world=world, **options) as client:
                return await client.run(what, **call)

        return asyncio.run(go())


def both(check: Callable[[bool], None]) -> None:
    check(False)
    check(True)
