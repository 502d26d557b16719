"""Callbacks with the values that their variables have now. They run when a query is compiled, each time, and Python looks variables up at that moment: all
conditions that a loop has added would be the last one."""

from __future__ import annotations

import builtins
import dis
from types import CellType, CodeType, FunctionType
from typing import Any

#: Names of the globals that code reads, by its identity. The code is kept, so that no other one gets the identity.
_globals_read: dict[int, tuple[CodeType, frozenset[str]]] = {}
_GLOBALS_READ_MAX = 4096


def _globals_of(code: CodeType) -> frozenset[str]:
    known = _globals_read.get(id(code))
    if known is not None:
        return known[1]
    names = {each.argval for each in dis.get_instructions(code) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= _globals_of(inner)
    found = frozenset(names)
    if len(_globals_read) >= _GLOBALS_READ_MAX:
        _globals_read.clear()
    _globals_read[id(code)] = (code, found)
    return found


def _cell_now(cell: CellType) -> CellType:
    try:
        return CellType(cell.cell_contents)
    except ValueError:
        # It has no value yet.
        return cell


def _fixed(call: Any) -> Any:
    """The callback, whatever is assigned to its variables from now on. What is no plain function is as it was."""
    if call.__class__ is not FunctionType:
        return call
    cells = call.__closure__
    names = _globals_of(call.__code__)
    if not names and not cells:
        return call
    scope = call.__globals__
    now = {name: scope[name] for name in names if name in scope}
    if len(now) < len(names) and not all(name in now or hasattr(builtins, name) for name in names):
        # Some are defined later on.
        now = scope
    else:
        now["__builtins__"] = scope.get("__builtins__", builtins)
    made = FunctionType(call.__code__, now, call.__name__, call.__defaults__, cells and tuple([_cell_now(cell) for cell in cells]))
    made.__kwdefaults__ = call.__kwdefaults__
    return made
