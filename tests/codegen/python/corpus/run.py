"""All cases of the corpus: texts byte for byte, and what a server in memory answers to them."""

import json
import sys
import urllib.request
from typing import Any

from db import _runtime as svc

from interpret import canonical, compiled, tables_of


def problem_of(error: Exception) -> dict[str, Any]:
    name = type(error).__name__
    if isinstance(error, (svc.BuildError, svc.CursorError)):
        return {"class": name}
    if not isinstance(error, svc.SvcError):
        raise error
    guard = {"guard": error.guard} if isinstance(error, svc.EnsureError) else {}
    return {"class": name, "code": error.code, "reason": error.reason, **guard}


def outcome(client: svc.Client, tables: dict[str, Any], build: Any) -> dict[str, Any]:
    try:
        made = compiled(tables, build)
    except (svc.BuildError, svc.CursorError) as error:
        return {"problem": problem_of(error)}
    try:
        return {"text": made.body, "result": canonical(client.run(svc._Run(made)))}
    except Exception as error:  # noqa: BLE001
        return {"text": made.body, "problem": problem_of(error)}


def difference(found: dict[str, Any], wanted: dict[str, Any]) -> str:
    names = [name for name in ("text", "result", "problem") if found.get(name) != wanted.get(name)]
    return "; ".join(f"{name} {json.dumps(found.get(name))}, not {json.dumps(wanted.get(name))}" for name in names)


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        corpus = json.load(file, parse_int=lambda text: int(text) if len(text) < 17 else float(text))
    url = sys.argv[2]
    tables = tables_of(corpus["tables"])
    svc.Client._generated = svc._Schema(1, "", [])
    wrong, asked, is_changed = [], 0, False
    with svc.Client(url, schema="off") as client:
        for case in corpus["cases"]:
            wanted = {name: case[name] for name in ("text", "result", "problem") if name in case}
            if case["kind"] == "text":
                found = {"text": compiled(tables, case["build"]).body}
            else:
                if is_changed:
                    urllib.request.urlopen(f"{url}/reset", b"").close()
                is_changed = case["kind"] == "write"
                found = outcome(client, tables, case["build"])
                asked += 1
            if found != wanted:
                wrong.append(f"{case['name']}: {difference(found, wanted)}")
    print("\n".join(wrong[:5]))
    print(f"{len(corpus['cases'])} cases, {asked} asked, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
