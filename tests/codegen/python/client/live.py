"""The Python client against a server."""

import asyncio
import copy
import enum
import functools
import gc
import json
import os
import pickle
import sys
import threading
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

import db
from db import (
    AsyncClient,
    BuildError,
    CardinalityError,
    Client,
    ConstraintError,
    CursorError,
    DecodeError,
    EnsureError,
    InvalidError,
    Posts,
    Program,
    SchemaMismatchError,
    TransportError,
    Users,
    accounts,
    avg,
    comments,
    count,
    counters,
    document_of,
    lit,
    max_,
    min_,
    posts,
    prepare,
    recursive,
    results,
    rows,
    sum_,
    users,
    when,
)

from checks import raises, run_checks, same

URL = sys.argv[1]


def live(**options: Any) -> Client:
    client = Client(URL, **options)
    p = Program()
    for table in (comments, posts, users, accounts, counters):
        p.do(table.delete_where(lambda _: lit("bool", True)))  # type: ignore
    p.do(users.insert_many([{"id": 2, "handle": "bob", "bio": "b"}, {"id": 1, "handle": "ada"}, {"id": 3, "handle": "Cleo"}]))
    made = []
    for i in range(7):
        post: Any = {"id": i + 1, "author_id": i % 2 + 1, "title": f"post {i}", "created_at": 100 - i % 3}
        post["score"] = 2**53 + 1 if i == 3 else i
        post["body"] = "text" if i % 2 == 0 else None
        post["rating"] = None if i == 6 else i / 2
        made.append(post)
    p.do(posts.insert_many(made))
    p.do(comments.insert_many([{"post_id": 1, "author_id": 2, "body": "first"}, {"post_id": 1, "body": "nobody"}, {"post_id": 2, "author_id": 1, "body": "second"}]))
    p.do(accounts.insert_many([{"id": 1, "balance": 100}, {"id": 2, "balance": 5}]))
    client.run(p)
    return client


def check_rows_come_as_objects() -> None:
    with live() as client:
        same(client.run(users.by({"handle": "ada"})), Users(1, "ada", None))
        same(client.run(users.get(9)), None)
        same([one.id for one in client.run(users.get_many([3, 9, 1]).order_by(lambda u: u.id.desc()))], [3, 1])
        post = client.run(posts.get(4).one())
        same(post, Posts(4, 2, "post 3", None, 2**53 + 1, 1.5, 100))
        [first] = client.run(comments.where(lambda c: c.body.eq("first")))
        same(type(first.id), uuid.UUID)
        same(client.run(comments.get(first.id)), first)


def check_queries() -> None:
    with live() as client:
        found = client.run(posts.where(lambda p: p.score.between(2, 5) & ~p.title.ends_with("2")).order_by(lambda p: p.id))
        same([one.id for one in found], [5, 6])
        same(client.run(posts.order_by(lambda p: (p.created_at.desc(), p.id)).offset(1).limit(2).select(lambda p: p.id)), [4, 7])
        same(client.run(posts.where_in(lambda p: p.id, [7, 1]).order_by(lambda p: p.id).select(lambda p: p.id)), [1, 7])
        same(client.run(users.where(lambda u: u.handle.contains("CLE", fold=True)).select(lambda u: u.handle)), ["Cleo"])
        same(client.run(users.where(lambda u: u.bio.same(None)).count()), 2)
        same(client.run(users.select(lambda u: {"id": u.id, "name": u.handle.or_else("?")}).first()), {"id": 1, "name": "ada"})
        grouped = posts.group(lambda p: (p.author_id, count(), max_(p.score), avg(p.rating))).where(lambda g: g[1].gt(3))
        same(client.run(grouped), [(1, 4, 6, 1.0)])
        same(client.run(posts.fold(lambda p: (count(), sum_(p.id), min_(p.title)))), (7, 28, "post 0"))
        both = users.where(lambda u: u.id.eq(1)).union(users.where(lambda u: u.id.lt(3)))
        same([one.id for one in client.run(both)], [1, 1, 2])
        same(len(client.run(both.distinct())), 2)
        named = posts.select(lambda p: when(p.score.gt(3), p.title).else_(lit("text", "low")))
        same(client.run(named.limit(5))[2:], ["low", "post 3", "post 4"])
        listed = rows({"n": "int64"}, [{"n": 3}, {"n": 1}])
        same(client.run(listed.select(lambda r: r.n + 1)), [2, 4])
        numbers = rows({"n": "int64"}, [{"n": 1}])
        up = recursive(numbers, lambda self: self.where(lambda r: r.n.lt(4)).select(lambda r: {"n": r.n + 1}))
        same([one["n"] for one in client.run(up)], [1, 2, 3, 4])
        same(client.run(posts.where(lambda p: posts.where(lambda q: q.id.eq(p.id + 1)).exists().not_()).select(lambda p: p.id)), [7])


@dataclass
class Card:
    title: str
    by: str
    count: int
    comments: list[tuple[str, str | None]]


HELPED: list[Any] = []
for wanted in ("ada", "bob"):
    helper = lambda u: u.handle.eq(wanted)  # noqa: E731
    HELPED.append(users.where(lambda u: helper(u).or_(not_yet(u))))


def not_yet(u: Any) -> Any:
    return u.bio.eq("defined later")


def negated(condition: Any) -> Any:
    @functools.wraps(condition)
    def turned(u: Any) -> Any:
        return ~condition(u)

    return turned


MODULE_QUERY = users
for member, value in {"handle": "ada", "id": 1}.items():
    MODULE_QUERY = MODULE_QUERY.where(lambda u: u[member].eq(value))


def check_variables_are_those_of_the_step() -> None:
    found = users
    for name, wanted in {"handle": "nobody", "id": 1}.items():
        found = found.where(lambda u: u[name].eq(wanted))
    text = document_of(found)
    same((text.count("nobody"), text.count('"column":"handle"') > 1), (1, True))
    k = 1
    update = users.update_where(lambda u: u.id.eq(k), lambda u: {"bio": lit("text", str(k))})
    joined = users.join(posts, lambda u, p: p.author_id.eq(u.id).and_(u.id.eq(k))).select(lambda u, p: (u.id, lit("int64", k)))
    nested = users.select(lambda u: (u.id, u.posts.where(lambda p: p.id.eq(k))))
    ordered = users.order_by(lambda u: u.id.add(k)).where_in(lambda u: u.id.add(k), [1])
    of = users.value(lambda u: u.id.add(k))
    before = [document_of(each) for each in (update, joined, nested, ordered, of)]
    k = 2
    same([document_of(each) for each in (update, joined, nested, ordered, of)], before)
    gathered = []
    for i in range(3):

        def condition(u: Any) -> Any:
            return u.id.eq(1000 + i)

        def counted(u: Any, depth: int = 2) -> Any:
            return counted(u, depth - 1) if depth else u.id.eq(1000 + i)

        gathered.append(users.where(lambda u: condition(u)))
        gathered.append(users.where(negated(condition)))
        gathered.append(users.where(functools.partial(lambda more, u: u.id.eq(more + i), 1000)))
        gathered.append(users.where(counted))
    for n, each in enumerate(gathered):
        same((n, f'"{1000 + n // 4}"' in document_of(each)), (n, True))
    same(['"ada"' in document_of(each) for each in HELPED], [True, False])
    same(['"bob"' in document_of(each) for each in HELPED], [False, True])
    same("defined later" in document_of(HELPED[0]), True)
    # What a callback does to variables is done, and what it looks for by itself is found.
    seen = 0

    def noted(u: Any) -> Any:
        nonlocal seen
        seen += 1
        return u.id.eq(1)

    document_of(users.where(noted))
    same(seen, 1)
    same('"ada"' in document_of(users.where(lambda u: u.handle.eq(globals()["MODULE_NAME"]))), True)
    # Those of a module, too; what is defined later is found later.
    same(document_of(MODULE_QUERY).count('"ada"'), 1)
    same("later" in document_of(DEFINED_LATER), True)
    patch = {"bio": "a"}
    change = users.update(1, patch)
    patch["bio"] = ""
    same('""' in document_of(change), False)


DEFINED_LATER = users.where(lambda u: u.handle.eq(defined_later()))


MODULE_NAME = "ada"


def defined_later() -> str:
    return "later"


def check_columns_of_other_rows() -> None:
    kept: list[Any] = []
    document_of(users.where(lambda u: (kept.append(u), u.id.eq(1))[1]))
    inner: list[Any] = []
    document_of(users.select(lambda u: (u.id, (inner.append(u.posts), u.posts)[1])))
    for wrong in (
        posts.where(lambda p: p.id.eq(kept[0].id)),
        users.delete_where(lambda u: u.id.eq(kept[0].id)),
        users.delete(kept[0].id),
        users.where(lambda u: users.where(lambda v: v.id.eq(kept[0].id)).exists()),
        posts.select(lambda p: (p.id, users.where(lambda u: kept[0].id.eq(p.id)))),
        posts.update_where(lambda p: p.id.eq(1), lambda p: {"score": kept[0].id}),
        inner[0],
    ):
        error = raises(BuildError, lambda: document_of(wrong))  # noqa: B023
        same("a column of rows that are not at hand here" in str(error), True)


class Level(int, enum.Enum):
    LOW = 3


def check_values_at_the_edge() -> None:
    same('"3"' in document_of(posts.where(lambda p: p.score.eq(Level.LOW))), True)
    error = raises(BuildError, lambda: document_of(posts.where(lambda p: p.score.eq(10**5000))))
    same("bits" in str(error), True)
    for text in ("\ud83d\ude00", "a\udc00"):
        error = raises(BuildError, lambda: document_of(users.insert({"handle": text})))  # noqa: B023
        same("surrogate" in str(error), True)
    late = datetime.max.replace(tzinfo=timezone(timedelta(hours=-12)))
    for value in (late, 10**17, -(10**17)):
        raises(BuildError, lambda: db._runtime._value_text("D", value, "at"))  # noqa: B023
    raises(DecodeError, lambda: db._runtime._datetime_from(10**17))
    same(db._runtime._value_text("D", datetime.max.replace(tzinfo=timezone.utc), "at"), '"253402300799999"')


def check_nested_rows_are_passed_on() -> None:
    client = live()
    once = posts.where(lambda p: p.id.eq(1)).select(
        lambda p: {"ids": p.comments.order_by(lambda c: c.body).select(lambda c: c.body), "all": p.comments, "by": p.author, "n": p.id}
    )
    [plain] = client.run(once)
    [again] = client.run(once.select(lambda x: {"n": x.n, "by": x.by, "all": x.all, "ids": x.ids}).select(lambda x: {"ids": x.ids, "all": x.all, "by": x.by, "n": x.n}))
    same(again, plain)
    same((again["ids"], type(again["by"]).__name__, len(again["all"])), (["first", "nobody"], "Users", 2))
    pair = posts.where(lambda p: p.id.eq(1)).select(lambda p: (p.id, p.comments.order_by(lambda c: c.body).select(lambda c: (c.body, c.post_id))))
    same(client.run(pair.select(lambda x: (x[1], x[0]))), [([("first", 1), ("nobody", 1)], 1)])


def check_wrong_uses() -> None:
    stray: list[Any] = []
    prepare("first", (posts.cols.id,), lambda id: (stray.append(id), posts.get(id))[1])
    deep = lit("bool", True)
    for _ in range(5000):
        deep = deep.or_(lit("bool", False))
    for wrong in (
        lambda: posts.where(lambda p: p.title.starts_with(None)),
        lambda: posts.where(lambda p: p.title.contains(0)),
        lambda: posts.where(lambda p: p.title.match([])),
        lambda: posts.limit("1"),
        lambda: posts.limit(2.0),
        lambda: posts.where(lambda p: p.id.eq(stray[0])),
        lambda: prepare("second", (posts.cols.score,), lambda score: posts.where(lambda p: p.id.eq(stray[0]).or_(p.score.eq(score)))),
        lambda: posts.where(lambda _: deep),
    ):
        raises(BuildError, lambda: document_of(wrong()))  # noqa: B023
    one: Any = {"id": 1, "handle": "ada"}
    for wrong in (
        lambda: users.upsert([one], on=["bio"]),
        lambda: users.upsert([one], on=[]),
        lambda: users.insert_ignore([one], on=["id", "handle"]),
        lambda: users.upsert([one], set=["bia"]),
        lambda: users.upsert([one], set=["id"]),
        lambda: users.upsert([one], on=["handle"], set=lambda now, new: {"handle": "eve"}),
        lambda: users.upsert([{**one, "bio": "x"}], set="bio"),
        lambda: users.insert_ignore([one, {"handle": "bob"}], on=["handle"]),
        lambda: posts.where(lambda p: p.id.eq(1) & (p.body == None)),  # noqa: E711
        lambda: posts.where(lambda p: p.id.eq(1) & (p.body != None)),  # noqa: E711
        lambda: comments.where(lambda c: c.id == uuid.UUID(int=1)),
        lambda: posts.where(lambda p: p.id.eq(1) & True),
        lambda: posts.where(lambda p: p.id.eq(1) | (not p.comments)),
        lambda: posts.where(lambda p: p.title.in_("ab")),
        lambda: posts.where(lambda p: p.id.in_(iter([1]))),
    ):
        raises(BuildError, lambda: document_of(wrong()))  # noqa: B023
    raises(BuildError, lambda: Program().ensure("g", True))
    raises(BuildError, lambda: Program().ensure("g", None))
    twice = users.update(1, {"bio": "x"})
    program = Program()
    program.do(twice)
    raises(BuildError, lambda: program.do(twice))
    client = live()
    raises(BuildError, lambda: client.page(posts, 1.5))
    raises(CursorError, lambda: client.page(posts, 1, after=5))
    for seconds in (float("nan"), 0, "1"):
        raises(BuildError, lambda: client.run(posts, timeout=seconds))  # noqa: B023
    same(len(client.run(posts.limit(1), timeout=float("inf"))), 1)
    raises(BuildError, lambda: Client(URL, timeout=None))


def check_errors_can_be_sent_to_other_processes() -> None:
    client = live()
    error = raises(ConstraintError, lambda: client.run(users.insert({"handle": "ada"})))
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        same((type(again), str(again), again.problem, again.table, again.attempts), (type(error), str(error), error.problem, error.table, 1))
    client.close()
    error = raises(TransportError, lambda: client.run(users))
    again = pickle.loads(pickle.dumps(error))
    same((str(again), again.phase, again.sent), (str(error), "aborted", False))
    same("the client is closed" in str(error), True)


def check_a_fork_has_connections_of_its_own() -> None:
    client = live()
    client.run(posts.get(1))
    children = []
    for id in range(1, 7):
        child = os.fork()
        if child == 0:
            right = all(client.run(posts.get(id)).id == id for _ in range(20))
            os._exit(0 if right else 1)
        children.append(child)
    same(all(client.run(posts.get(7)).id == 7 for _ in range(100)), True)
    same([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children], [0] * 6)


def check_a_fork_takes_nothing_from_a_loop() -> None:
    live().close()

    async def go() -> None:
        async with AsyncClient(URL, timeout=20) as client:
            same(len(await client.run(posts)), 7)
            for _ in range(3):
                child = os.fork()
                if child == 0:
                    # Also what the interpreter clears away in the end.
                    gc.collect()
                    os._exit(0)
                os.waitpid(child, 0)
                same(len(await client.run(posts, timeout=5)), 7)

    asyncio.run(go())


def check_a_result_of_a_program_stays_as_it_is() -> None:
    program = Program()
    raised = program.do(users.update(1, {"bio": "x"}))
    whole = program.returning(raised)
    before = document_of(whole)
    program.do(users.update(2, {"bio": "y"}))
    same(document_of(whole), before)


def check_loops_one_after_the_other() -> None:
    live().close()
    client = AsyncClient(URL)

    async def ask() -> int:
        return len(await client.run(posts))

    same([asyncio.run(ask()), asyncio.run(ask())], [7, 7])

    async def watch() -> None:
        seen = 0
        async for _ in client.watch(posts, every=3600):
            seen += 1
            asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(client.close()))
        same(seen, 1)

    error = raises(TransportError, lambda: asyncio.run(watch()))
    same("the client is closed" in str(error), True)


def check_nested_rows_into_objects() -> None:
    with live() as client:
        feed = (
            posts.where(lambda p: p.id.lte(2))
            .order_by(lambda p: p.id)
            .select(
                lambda p: (
                    p.title,
                    p.author.select(lambda u: u.handle),
                    p.comments.count(),
                    p.comments.order_by(lambda c: c.body).select(lambda c: (c.body, c.author.select(lambda u: u.handle))),
                )
            )
            .into(Card)
        )
        same(client.run(feed), [Card("post 0", "ada", 2, [("first", "bob"), ("nobody", None)]), Card("post 1", "bob", 1, [("second", "ada")])])
        joined = (
            posts.left_join(comments, lambda p, c: c.post_id.eq(p.id))
            .join(users, lambda p, c, u: u.id.eq(p.author_id))
            .where(lambda p, c, u: p.id.lte(3))
            .order_by(lambda p, c, u: (p.id, c.body))
            .select(lambda p, c, u: (p.title, c.body, u.handle))
        )
        same(client.run(joined)[1:], [("post 0", "nobody", "ada"), ("post 1", "second", "bob"), ("post 2", None, "ada")])
        twice = posts.join(posts, lambda a, b: b.id.eq(a.id + 1)).select(lambda a, b: (a.id, b.id)).limit(1)
        same(client.run(twice), [(1, 2)])


def check_statements() -> None:
    with live() as client:
        same(client.run(users.insert({"id": 9, "handle": "z"})), Users(9, "z", None))
        made = client.run(users.insert({"handle": 'q"\\\n\u0000😀', "bio": db.UNSET}))
        same(client.run(users.get(made.id)), made)
        same(client.run(posts.update(1, lambda p: {"score": p.score + 5, "body": None})), Posts(1, 1, "post 0", None, 5, 0.0, 100))
        same(client.run(posts.update(99, {"score": 1})), None)
        same(len(client.run(posts.update_where(lambda p: p.id.gt(5), {"title": "t"}))), 2)
        same(client.run(comments.delete_where(lambda c: c.author_id.is_null()))[0].body, "nobody")
        given: Any = [{"name": "a", "n": 1}, {"name": "b", "n": 2}]
        client.run(counters.insert_many(given[:1]))
        merged = client.run(counters.upsert(given, set=lambda now, new: {"n": now.n + new.n}))
        same(sorted((one.name, one.n) for one in merged), [("a", 2), ("b", 2)])
        same([one.name for one in client.run(counters.insert_ignore([{"name": "a", "n": 7}, {"name": "c", "n": 7}]))], ["c"])
        many = client.run(users.insert_many([{"id": 30, "handle": "x30"}, {"id": 20, "handle": "x20", "bio": "b"}]))
        same([one.id for one in many], [30, 20])
        same(client.copy(counters, ({"name": f"k{i}", "n": i} for i in range(2500))), 2500)
        same(client.run(counters.count()), 2503)


def check_programs() -> None:
    with live() as client:
        def transfer(sum: int) -> Any:
            p = Program()
            taken = p.do(accounts.update_where(lambda a: a.id.eq(1) & a.balance.gte(sum), lambda a: {"balance": a.balance - sum}))
            p.ensure("funds", taken)
            given = p.do(accounts.update(2, lambda a: {"balance": a.balance + sum}))
            return p.returning((given, accounts.order_by(lambda a: a.id).select(lambda a: a.balance), taken.rows.count()))

        same(client.run(transfer(30)), (db.Accounts(2, 35), [70, 35], 1))
        error = raises(EnsureError, lambda: client.run(transfer(3000)))
        same(error.guard, "funds")
        same(client.run(results((accounts.count(), users.get(1)))), (2, Users(1, "ada", None)))
        p = Program()
        author = p.do(users.insert({"id": 50, "handle": "new"}))
        p.do(posts.insert_from(author.rows, lambda u: {"author_id": u.id, "title": u.handle, "created_at": 1}))
        same(client.run(p.returning(posts.where(lambda q: q.author_id.eq(50)).select(lambda q: q.title))), ["new"])
        same(client.run(Program().returning({"n": users.count()})), {"n": 4})


def check_prepared() -> None:
    get_post = prepare("get_post", (posts.cols.id,), lambda id: posts.get(id))
    raise_score = prepare("raise", (posts.cols.id, posts.cols.score), lambda id, by: posts.update_where(lambda p: p.id.eq(id), lambda p: {"score": p.score + by}))
    with live() as client:
        found = client.run(get_post(3))
        same(found.id if found else None, 3)
        same(client.run(get_post(99)), None)
        same(client.run(raise_score(3, 5))[0].score, 7)
        by_bio = prepare("by_bio", (users.cols.bio,), lambda bio: users.where(lambda u: u.bio.same(bio)).select(lambda u: u.id))
        same(client.run(by_bio("b")), [2])
        same(client.run(by_bio(None)), [1, 3])
    raises(BuildError, lambda: get_post("x"))  # type: ignore
    raises(BuildError, lambda: get_post())  # type: ignore
    raises(BuildError, lambda: raise_score(1, None))  # type: ignore


def check_pages() -> None:
    with live() as client:
        query = posts.order_by(lambda p: (p.rating.desc(), p.created_at)).select(lambda p: (p.id, p.rating))
        whole = client.run(query)
        for size in (1, 2, 3, 7, 8):
            same([one for some in client.pages(query, size) for one in some], whole)
        first = client.page(query, 3)
        second = client.page(query, 3, after=first.next)
        same(client.page(query, 3, before=second.previous).rows, first.rows)
        same(client.page(posts, 2).rows[0], Posts(1, 1, "post 0", "text", 0, 0.0, 100))
        raises(CursorError, lambda: client.page(posts, 3, after=first.next))
        raises(CursorError, lambda: client.page(query, 3, after="x"))
        raises(BuildError, lambda: client.page(query, 0))


def check_errors() -> None:
    with live() as client:
        error = raises(ConstraintError, lambda: client.run(users.insert({"id": 1, "handle": "y"})))
        same((error.table, error.code, error.reason), ("users", "invalid", "constraint_violation"))
        same((error.operation, error.attempts), ("p0", 1))
        same(isinstance(error, InvalidError), True)
        raises(CardinalityError, lambda: client.run(users.one()))
        same("nothing in this row" in str(raises(AttributeError, lambda: client.run(users.where(lambda u: u.nothing.eq(1))))), True)  # type: ignore
        raises(BuildError, lambda: client.reader.run(users.insert({"handle": "n"})))
        raises(BuildError, lambda: bool(users.cols.id.eq(1)))
        raises(BuildError, lambda: users.cols.id == 1)
        raises(BuildError, lambda: client.run(users.insert({"handle": "n", "nope": 1})))  # type: ignore
        raises(BuildError, lambda: client.run(users.insert({"bio": "n"})))  # type: ignore
        raises(BuildError, lambda: users.by({"bio": "n"}))  # type: ignore
        raises(BuildError, lambda: client.run(accounts.get(2**63)))
        raises(BuildError, lambda: client.run(posts.where(lambda p: p.rating.eq(float("nan")))))
    raises(TransportError, lambda: client.run(users))
    closed = raises(TransportError, lambda: Client("http://127.0.0.1:1", attempts=1).run(users))
    same((closed.phase, closed.sent), ("connect", False))


def check_what_is_kept() -> None:
    with live() as client:
        query = users.order_by(lambda u: u.id)
        first = client.cached(query)
        same(client.cached(query) is first, True)
        client.run(posts.update(1, {"title": "other"}))
        same(client.cached(query) is first, True)
        client.run(users.insert({"handle": "late"}))
        second = client.cached(query)
        same((len(first), len(second)), (3, 4))


def check_plans_and_raw_programs() -> None:
    with live() as client:
        [planned] = client.explain(users.get(1)).statements
        same((planned.name, "users" in planned.text), ("p0", True))
        client.check(users.insert({"handle": "never"}))
        same(client.run(users.where(lambda u: u.handle.eq("never")).count()), 0)
        found = client.analyze(users.count())
        same(found.result, 3)
        told = client.raw(db.document_of(users.get(1)))
        same((told.result["handle"], told.statements[0].name), ("ada", "p0"))
        raises(InvalidError, lambda: client.raw("{}"))


def check_threads_share_a_client() -> None:
    with live() as client:
        found: list[Any] = []

        def work() -> None:
            for _ in range(20):
                client.run(counters.upsert([{"name": "hits", "n": 1}], set=lambda now, new: {"n": now.n + new.n}))
                found.append(client.run(counters.get("hits")))

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        same(client.run(counters.get("hits")), db.Counters("hits", 160))
        same(len(found), 160)


def check_schema_is_compared() -> None:
    with live() as client:
        same(client._server.guard.is_fit, True)
    schema = Client._generated
    [one, *more] = schema.tables
    changed = one._replace(columns=[*one.columns, db._runtime._Column("gone", "gone", "t", True, False)])

    class Other(db._runtime.Client):
        _generated = schema._replace(hash="sha256:0", tables=[changed, *more])

    error = raises(SchemaMismatchError, lambda: Other(URL).run(users))
    same(error.differences, ("column users.gone is not there",))

    class Drifted(db._runtime.Client):
        _generated = schema._replace(hash="sha256:0")

    heard: list[Any] = []
    drifted = Drifted(URL, on_drift=lambda version, hash: heard.append(version))
    same(len(drifted.run(users)), 3)
    same(len(drifted.run(users)), 3)
    same(len(heard), 1)
    raises(SchemaMismatchError, lambda: Drifted(URL, schema="exact").run(users))
    same(len(Drifted(URL, schema="off").run(users)), 3)


async def check_asyncio() -> None:
    live().close()
    async with AsyncClient(URL) as client:
        same(await client.run(users.by({"handle": "ada"})), Users(1, "ada", None))
        found = await asyncio.gather(*[client.run(posts.get(i % 7 + 1)) for i in range(60)])
        same([one.id for one in found if one], [i % 7 + 1 for i in range(60)])
        same([len(some) async for some in client.pages(posts, 3)], [3, 3, 1])
        same((await client.page(posts, 2)).rows[1].id, 2)
        kept = await client.cached(users)
        same(await client.cached(users) is kept, True)
        same((await client.analyze(users.count(), "summary")).result, 3)
        same((await client.explain(users)).statements[0].name, "p0")
        same((await client.raw(json.loads(db.document_of(users.get(1))))).result["handle"], "ada")
        same(await client.copy(counters, [{"name": f"a{i}", "n": i} for i in range(1500)]), 1500)
        large = await client.run(rows({"t": "text"}, [{"t": "😀" * 100_000}]))
        same(len(large[0]["t"]), 100_000)
        seen: list[int] = []
        async for some in client.watch(users.count(), every=0.01):
            seen.append(some)
            if len(seen) == 2:
                break
            await client.run(users.insert({"handle": "watched"}))
        same(seen, [3, 4])
        task = asyncio.ensure_future(client.run(users))
        await asyncio.sleep(0)
        task.cancel()
        same(await asyncio.gather(task, return_exceptions=True) != [], True)
        same(len(await client.run(users)), 4)
        try:
            await client.run(users.insert({"id": 1, "handle": "y"}))
        except ConstraintError as error:
            same(error.table, "users")
        else:
            raise AssertionError("no ConstraintError")


run_checks(globals())
