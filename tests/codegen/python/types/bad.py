"""Each marked line is an error of its own, to mypy and to pyright."""

from dataclasses import dataclass

from db import AsyncClient, Client, Posts, Program, Users, accounts, comments, count, lit, posts, prepare, results, sum_, users, when


@dataclass
class Card:
    id: int
    title: str


def wrong_names() -> None:
    posts.where(lambda p: p.titel.eq("x"))  # bad
    posts.order_by(lambda p: p.nothing)  # bad
    posts.select(lambda p: p.writer)  # bad
    posts.get(1).select(lambda p: p.nothing)  # bad
    users.insert({"handle": "a", "name": "b"})  # bad
    posts.update(1, {"titel": "x"})  # bad
    users.by({"bio": "x"})  # bad


def wrong_types() -> None:
    posts.where(lambda p: p.title.eq(3))  # bad
    posts.where(lambda p: p.score.eq("3"))  # bad
    posts.where(lambda p: p.score.gt(p.title))  # bad
    posts.where(lambda p: p.score)  # bad
    posts.where(lambda p: p.title.in_([1, 2]))  # bad
    posts.where(lambda p: p.score.starts_with("x"))  # bad
    posts.where(lambda p: p.title.add(1))  # bad
    posts.select(lambda p: p.title + 1)  # bad
    posts.select(lambda p: p.score + "x")  # bad
    posts.limit("3")  # bad
    posts.where_in(lambda p: p.id, ["a"])  # bad
    posts.order_by(lambda p: p.comments)  # bad
    posts.get("1")  # bad
    comments.get(1)  # bad
    posts.group(lambda p: (p.author_id, sum_(p.title)))  # bad
    posts.select(lambda p: (p.id, 3))  # bad
    when(posts.cols.id, posts.cols.title)  # bad
    lit("int64", "x")  # bad
    lit("int32", 3)  # bad
    posts.where(lambda p: p.author_id.same("x"))  # bad
    posts.select(lambda p: p.rating.or_else("x"))  # bad
    posts.where(lambda p: p.comments.exists().and_(p.title))  # bad


def wrong_rows() -> None:
    users.insert({})  # bad
    users.insert({"handle": None})  # bad
    users.insert({"handle": 1})  # bad
    posts.insert({"author_id": 1, "title": "x"})  # bad
    posts.update(1, {"title": None})  # bad
    posts.update(1, {"id": 2})  # bad
    posts.update(1, lambda p: {"score": p.title})  # bad
    posts.update(1, lambda p: {"score": p.rating})  # bad
    posts.update(1, lambda p: {"score": p.comments.count()})  # bad
    users.insert_many([{"bio": "x"}])  # bad


def wrong_results(db: Client) -> None:
    a: list[Users] = db.run(posts)  # bad
    b: Users = db.run(users.get(1))  # bad
    c: int = db.run(posts.value(lambda p: p.score))  # bad
    d: list[str] = db.run(posts.select(lambda p: p.body))  # bad
    db.run(posts.select(lambda p: (p.title, p.id)).into(Card))  # bad
    db.run(posts.select(lambda p: (p.id,)).into(Card))  # bad
    e: Posts = db.run(posts.update(1, {"score": 1}))  # bad
    f: str = db.run(users.one()).bio  # bad
    db.run(3)  # bad
    db.run(users.cols)  # bad
    print(a, b, c, d, e, f)


def wrong_programs(db: Client) -> None:
    p = Program()
    p.do(posts)  # bad
    p.ensure("x", 3)  # bad
    got = p.do(posts.delete(1))
    g: Posts = db.run(p.returning(got))  # bad
    get_post = prepare("get", (posts.cols.id,), lambda id: posts.get(id))
    get_post("1")  # bad
    get_post()  # bad
    results((1, 2))  # bad
    posts.union(users)  # bad
    posts.join(users, lambda p, u: p.title)  # bad
    posts.left_join(comments, lambda p, c: c.post_id.eq(p.id)).select(lambda p, c, u: c.body)  # bad
    accounts.insert_from(3, lambda a: {})  # bad
    print(g)


async def wrong_later(db: AsyncClient) -> None:
    h: list[Users] = db.run(users)  # bad
    i: list[Posts] = await db.run(users)  # bad
    print(h, i, count)
