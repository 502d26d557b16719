"""What a process cannot share with its parent: the answers on a connection would come to either of them, and a lock may be held by a thread that the child does
not have."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable

_begins: set[weakref.WeakMethod[Callable[[], None]]] = set()


def _now_and_in_children(begin: Callable[[], None]) -> None:
    """Calls a method, and again in each process that is forked off while its object is there."""
    begin()
    _begins.add(weakref.WeakMethod(begin, _begins.discard))


def _begin_in_child() -> None:
    for known in list(_begins):
        begin = known()
        if begin is not None:
            begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)
