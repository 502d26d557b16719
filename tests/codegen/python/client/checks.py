"""Finds and runs the checks of a module: functions whose names begin with `check_`, each by itself."""

import asyncio
import inspect
import sys
import traceback
from collections.abc import Callable
from typing import Any


def run_checks(module: dict[str, Any]) -> None:
    for name, check in list(module.items()):
        if not name.startswith("check_"):
            continue
        try:
            found = check()
            if inspect.isawaitable(found):
                asyncio.run(as_coroutine(found))
        except BaseException:
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
        else:
            print(f"passed {name}")


async def as_coroutine(found: Any) -> Any:
    return await found


def raises(kind: type[BaseException], work: Callable[[], Any]) -> Any:
    try:
        work()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def same(got: object, want: object) -> None:
    if got != want or type(got) is not type(want):
        raise AssertionError(f"got {got!r}, want {want!r}")
