"""Every fault of the corpus of all clients, on a server that counts what was committed. The grammar is in the README beside the corpus."""

import dataclasses
import json
import pathlib
import sys
from typing import Any

import db
from db import Accounts, Answer, Broken, Client, Operation, SvcError, TransportError, Unsent, accounts, lit

from checks import run_checks, same
from script import Script

URL = sys.argv[1]
CORPUS: Any = json.loads((pathlib.Path(__file__).parent / "faults.json").read_text())
UNIX_2026 = 1_767_225_600.0

READ = accounts
WRITE = accounts.insert({"id": 1, "balance": 5})
WRITTEN = Accounts(1, 5)


class Stage(Script):
    """A script of names; behind its end stands the server."""

    def __init__(self, fault: Any) -> None:
        super().__init__(fault["script"])
        self.world = self.world._replace(unix=lambda: UNIX_2026 + self.clock)
        self.sent_at: list[float] = []
        self.network = db._runtime._Transport(None)

    def send(self, operation: Operation) -> Answer:
        self.requests.append(operation)
        self.sent_at.append(self.clock)
        name = self.outcomes.pop(0) if self.outcomes else "served"
        if name in ("served", "lost"):
            answer = self.network(dataclasses.replace(operation, url=f"{URL}/execute"))
            if name == "served":
                return answer
            raise Broken("reset")
        if name == "refused":
            return self.network(dataclasses.replace(operation, url="http://127.0.0.1:1/execute"))
        if name == "unresolved":
            raise Unsent("no such host")
        if name == "broken":
            raise Broken("reset")
        if name == "silent":
            self.clock += operation.timeout
            raise Broken("no answer")
        told = CORPUS["answers"][name]
        headers = {"retry-after": told["retry_after"]} if "retry_after" in told else {}
        text = told["text"] if "text" in told else json.dumps({"detail": "why", "status": told["status"], **told["problem"]})
        return Answer(told["status"], headers, text.encode())

    def pauses(self) -> list[float]:
        return [round((after - before) * 1000, 6) for before, after in zip(self.sent_at, self.sent_at[1:])]


def options_of(fault: Any) -> dict[str, Any]:
    options: dict[str, Any] = {"name": "asked", "idempotent": fault["of"] == "idempotent write"}
    if "attempts" in fault:
        options["attempts"] = fault["attempts"]
    if "cap_ms" in fault:
        options["longest_wait"] = fault["cap_ms"] / 1000
    if "timeout_ms" in fault:
        options["timeout"] = fault["timeout_ms"] / 1000
    tokens = fault.get("tokens")
    if tokens is not None:
        left = list(tokens)
        options["token"] = tokens[0] if len(tokens) == 1 else lambda: left.pop(0)
    return options


def told(error: Any, member: str) -> Any:
    return error.problem.get(member) if member == "incident" else getattr(error, member)


def try_one(fault: Any, is_async: bool, counting: Client) -> None:
    counting.run(accounts.delete_where(lambda _: lit("bool", True)))
    stage = Stage(fault)
    kind, found, error = None, None, None
    is_read = fault["of"] == "read"
    try:
        found = stage.run(READ if is_read else WRITE, is_async, **options_of(fault))
    except (SvcError, TransportError) as caught:
        kind, error = type(caught).__name__, caught
    stage.network.close()
    same(kind, fault.get("error"))
    if error is None:
        same(found, [] if is_read else WRITTEN)
    else:
        same((error.operation, error.attempts), ("asked", fault["requests"]))
        for member, wanted in fault.get("having", {}).items():
            same((member, told(error, member)), (member, "accounts" if wanted == "WRITTEN" else wanted))
    same(len(stage.requests), fault["requests"])
    same({one.body for one in stage.requests}, {stage.requests[0].body})
    if "waits_ms" in fault:
        same(stage.pauses(), [float(wait) for wait in fault["waits_ms"]])
    same(counting.run(accounts.count()), fault["commits"])


def check_each_fault(is_async: bool = False) -> None:
    failed: list[str] = []
    with Client(URL) as counting:
        for fault in CORPUS["faults"]:
            try:
                try_one(fault, is_async, counting)
            except Exception as error:
                failed.append(f"{fault['of']}: {fault['what']}: {error!r}")
    same("\n".join(failed), "")


def check_each_fault_in_asyncio() -> None:
    check_each_fault(True)


run_checks(globals())
