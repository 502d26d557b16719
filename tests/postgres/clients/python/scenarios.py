"""Scenarios of Python clients: a process lists them, or runs those that standard input names."""

import asyncio
import inspect
import json
import signal
import sys
import traceback

# Ends a scenario that waits for an answer for ever, so that the next one runs.
LIMIT_SECONDS = 20

USER = "postgres"
DATABASE = "postgres"

_scenarios = {}


class Server:
    """The address of one server."""

    def __init__(self, kind, host, port):
        self.kind = kind
        self.host = host
        self.port = port
        self.address = {"host": host, "port": port, "user": USER}

    def url(self, scheme):
        return f"{scheme}://{USER}@{self.host}:{self.port}/{DATABASE}"


def scenario(name, tables=(), later=None):
    """Registers a function of a server. `later` is as in `scenario.ts`."""

    def register(function):
        assert name not in _scenarios, name
        _scenarios[name] = (function, tables, later)
        return function

    return register


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, got {actual!r}")


def sqlstate_of(cause):
    """Returns the SQLSTATE of an error of a client, or of an error that it wraps."""
    while cause is not None:
        code = getattr(cause, "sqlstate", None)
        if code is not None:
            return code
        cause = getattr(cause, "orig", None) or cause.__cause__
    return None


def expect_error(code, function):
    """Calls the function, and returns its error, which must have the SQLSTATE."""
    try:
        function()
    except Exception as cause:
        if sqlstate_of(cause) != code:
            raise
        return cause
    raise AssertionError(f"expected the error {code}")


def _time_out(signal_number, frame):
    raise TimeoutError(f"no end within {LIMIT_SECONDS} s")


def main():
    signal.signal(signal.SIGALRM, _time_out)
    if sys.argv[1] == "list":
        rows = [
            {"name": name, "tables": tables, "later": later}
            for name, (_, tables, later) in _scenarios.items()
        ]
        print(json.dumps(rows))
        return
    for line in sys.stdin:
        print(json.dumps(_outcome(json.loads(line))), flush=True)


def _outcome(request):
    function = _scenarios[request["name"]][0]
    server = Server(request["kind"], request["host"], request["port"])
    signal.alarm(LIMIT_SECONDS)
    try:
        if inspect.iscoroutinefunction(function):
            asyncio.run(function(server))
        else:
            function(server)
    except Exception as cause:
        return {"message": traceback.format_exc(), "code": sqlstate_of(cause)}
    finally:
        signal.alarm(0)
    return {}
