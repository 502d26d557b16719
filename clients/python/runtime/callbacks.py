"""Callbacks with the values that their variables have now. They run when a query is compiled, each time, and Python looks variables up at that moment: all
conditions that a loop has added would be the last one."""

from __future__ import annotations

import builtins
import dis
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

#: The globals that code reads, by its identity; None where it also assigns, or looks around by itself. The code is kept, so that no other one gets the identity.
_reads: dict[int, tuple[CodeType, frozenset[str] | None]] = {}
_READS_MAX = 4096
_ASSIGNS = frozenset(["STORE_GLOBAL", "DELETE_GLOBAL"])
_LOOKS_AROUND = frozenset(["globals", "eval", "exec", "vars", "locals"])
#: What an import reads of its module, to find those beside it.
_IMPORTS = frozenset(["__name__", "__package__", "__spec__"])
#: Functions that are copied for one callback.
_COPIES_MAX = 64


def _globals_of(code: CodeType) -> frozenset[str] | None:
    known = _reads.get(id(code))
    if known is not None:
        return known[1]
    names: set[str] = set()
    is_plain = True
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(each.argval)
        elif each.opname == "IMPORT_NAME":
            names |= _IMPORTS
        elif each.opname in _ASSIGNS or (each.opname in ("STORE_DEREF", "DELETE_DEREF") and each.argval in code.co_freevars):
            is_plain = False
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            of_inner = _globals_of(inner)
            is_plain = is_plain and of_inner is not None
            names |= of_inner or frozenset()
    found = frozenset(names) if is_plain and not names & _LOOKS_AROUND else None
    if len(_reads) >= _READS_MAX:
        _reads.clear()
    _reads[id(code)] = (code, found)
    return found


class _Globals(dict[str, Any]):
    """Those of a moment; what had no value then is looked up in the module."""

    __slots__ = ("scope",)

    def __init__(self, scope: dict[str, Any]) -> None:
        super().__init__()
        self.scope = scope

    def __missing__(self, name: str) -> Any:
        return self.scope[name]


_CALLS = frozenset[Any]([FunctionType, partial])


def _fixed(call: Any) -> Any:
    """The callback, whatever is assigned from now on to its variables, and to those of functions that it calls by a variable. Functions that assign to variables
    of others, and what is no function, stay as they are."""
    return _now(call, {})


def _now(value: Any, made: dict[int, Any]) -> Any:
    if value.__class__ is FunctionType:
        return _copied(value, made)
    if value.__class__ is partial:
        return partial(_now(value.func, made), *value.args, **value.keywords)
    return value


def _copied(call: FunctionType, made: dict[int, Any]) -> Any:
    if id(call) in made:
        return made[id(call)]
    scope = call.__globals__
    names = _globals_of(call.__code__) if scope is not globals() and len(made) < _COPIES_MAX else None
    if names is None or not (names or call.__closure__):
        return call
    now: dict[str, Any] = {}
    for name in names:
        if name not in scope and not hasattr(builtins, name):
            now = _Globals(scope)
            break
    cells = tuple([_cell_now(cell) for cell in call.__closure__ or ()])
    copy = FunctionType(call.__code__, now, call.__name__, call.__defaults__, cells or None)
    copy.__kwdefaults__ = call.__kwdefaults__
    if call.__dict__:
        copy.__dict__.update(call.__dict__)
    made[id(call)] = copy
    for cell, before in zip(cells, call.__closure__ or ()):
        if cell is not before and cell.cell_contents.__class__ in _CALLS:
            cell.cell_contents = _now(cell.cell_contents, made)
    for name in names:
        if name in scope:
            found = scope[name]
            # A function of another module has variables of its own.
            if found.__class__ in _CALLS and (found.__class__ is partial or found.__globals__ is scope or found.__closure__):
                found = _now(found, made)
            now[name] = found
    now["__builtins__"] = scope.get("__builtins__", builtins)
    return copy


def _cell_now(cell: CellType) -> CellType:
    try:
        return CellType(cell.cell_contents)
    except ValueError:
        # It has no value yet.
        return cell
