"""
Runs each question through the generated client, and by hand with http.client and json, in rounds that alternate. Prints one line of JSON.
Arguments: the server's address, the file of programs, milliseconds of a round, rounds. One connection: threads of one interpreter share a processor.
"""

import http.client
import json
import sys
import time
from typing import Any, Callable

from db import Client, posts, prepare

KEYS = 1000
COLUMNS = ("id", "author_id", "title", "body", "score", "rating", "created_at")
url, programs, milliseconds, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with open(programs, encoding="utf-8") as file:
    given = json.load(file)
client = Client(url, schema="off")
connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)


def by_hand(program: Any) -> Any:
    connection.request("POST", "/execute", json.dumps(program).encode(), {"content-type": "application/json"})
    response = connection.getresponse()
    text = response.read()
    if response.status != 200:
        raise RuntimeError(text)
    return json.loads(text)["result"]


def feed() -> Any:
    return (
        posts.order_by(lambda p: (p.created_at.desc(), p.id.desc()))
        .limit(20)
        .select(
            lambda p: {
                **{name: getattr(p, name) for name in COLUMNS},
                "author": p.author.select(lambda u: {"handle": u.handle}),
                "count": p.comments.count(),
                "comments": p.comments.order_by(lambda c: c.body)
                .limit(3)
                .select(lambda c: {"body": c.body, "by": c.author.select(lambda u: {"handle": u.handle})}),
            }
        )
    )


find = prepare("point", (posts.cols.id,), lambda id: posts.get(id))
prepared_feed = prepare("feed", (), feed)


def col(name: str) -> dict[str, str]:
    return {"kind": "col", "scope": "s0", "column": name}


def point_by_hand(key: int) -> Any:
    value = {"kind": "lit", "value": {"type": "int64", "value": str(key)}}
    nodes = {
        "n0": {"kind": "scan", "table": "posts", "scope": "s0"},
        "n1": {
            "kind": "filter",
            "input": "n0",
            "predicate": {"kind": "binary", "op": "eq", "left": col("id"), "right": value},
        },
        "n2": {"kind": "project", "input": "n1", "fields": [{"as": name, "expr": col(name)} for name in COLUMNS]},
    }
    relation = {"root": {"node": "n2", "cardinality": "first"}, "nodes": nodes}
    return by_hand({"statements": [{"kind": "query", "name": "p0", "relation": relation}]})


Ask = Callable[[int], Any]
QUESTIONS: dict[str, tuple[int, Ask, Ask]] = {
    "by key, prepared": (1, lambda key: client.run(find(key)), point_by_hand),
    "by key, ad hoc": (1, lambda key: client.run(posts.get(key)), point_by_hand),
    "feed, prepared": (20, lambda _: client.run(prepared_feed()), lambda _: by_hand(given["feed"])),
    "feed, ad hoc": (20, lambda _: client.run(feed()), lambda _: by_hand(given["feed"])),
    "500 rows": (500, lambda _: client.run(posts.order_by(lambda p: p.id).limit(500)), lambda _: by_hand(given["list"])),
}


def run(ask: Ask, rows: int) -> dict[str, float]:
    done, key = 0, 0
    began, used = time.perf_counter(), time.process_time()
    ending = began + milliseconds / 1000
    while time.perf_counter() < ending:
        found = ask(key + 1)
        count = len(found) if isinstance(found, list) else int(found is not None)
        if count != rows:
            raise RuntimeError(f"{count} rows instead of {rows}")
        key = (key + 13) % KEYS
        done += 1
    return {"perSecond": done / (time.perf_counter() - began), "cpuMicros": (time.process_time() - used) * 1e6 / done}


measured: dict[str, dict[str, list[dict[str, float]]]] = {}
for name, (rows, through_client, hand) in QUESTIONS.items():
    found: dict[str, list[dict[str, float]]] = {"client": [], "byHand": []}
    sides = [("client", through_client), ("byHand", hand)]
    for i in range(rounds + 1):
        for side, ask in sides if i % 2 == 0 else reversed(sides):
            result = run(ask, rows)
            # The first round opens the connections.
            if i > 0:
                found[side].append(result)
    measured[name] = found
print(json.dumps({"measured": measured}))
