"""What a checker of types says of what is right, to the last nested field."""

from dataclasses import dataclass
from typing import Any, assert_type
from uuid import UUID

from db import (
    Accounts,
    AsyncClient,
    Bool,
    Client,
    Comments,
    Page,
    Posts,
    PostsNew,
    Program,
    Users,
    UsersNew,
    accounts,
    avg,
    comments,
    count,
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


@dataclass
class Card:
    id: int
    title: str
    comments: list[Comments]


def rows_of_tables(db: Client) -> None:
    assert_type(db.run(posts), list[Posts])
    assert_type(db.run(posts.where(lambda p: p.score.gte(3)).order_by(lambda p: p.id.desc())), list[Posts])
    assert_type(db.run(users.by({"handle": "ada"})), Users | None)
    assert_type(db.run(users.get(1)), Users | None)
    assert_type(db.run(users.get({"id": 1}).one()), Users)
    assert_type(db.run(users.first()), Users | None)
    assert_type(db.run(users.one()), Users)
    assert_type(db.run(users.get_many([1, 2])), list[Users])
    assert_type(db.run(users.where_in(lambda u: u.handle, ["a"])), list[Users])
    assert_type(db.run(users.union(users).distinct().limit(2)), list[Users])
    assert_type(db.run(posts.count()), int)
    assert_type(db.run(posts.exists()), bool)
    assert_type(db.run(posts.value(lambda p: p.title)), str | None)
    assert_type(db.run(posts.value(lambda p: p.rating)), float | None)


def projections(db: Client) -> None:
    assert_type(db.run(posts.select(lambda p: p.title)), list[str])
    assert_type(db.run(posts.select(lambda p: (p.id, p.rating))), list[tuple[int, float | None]])
    assert_type(db.run(posts.select(lambda p: (p.id, p.title, p.comments.limit(3))).into(Card)), list[Card])
    assert_type(db.run(posts.select(lambda p: {"a": p.id})), list[dict[str, Any]])
    assert_type(db.run(posts.get(1).select(lambda p: (p.id, p.author))), tuple[int, Users] | None)
    assert_type(db.run(comments.select(lambda c: (c.id, c.author, c.post.select(lambda p: p.title)))), list[tuple[UUID, Users | None, str]])
    assert_type(db.run(posts.select(lambda p: (p.comments.exists(), p.comments.count(), p.comments.first()))), list[tuple[bool, int, Comments | None]])
    feed = posts.order_by(lambda p: (p.created_at.desc(), p.id.desc())).limit(20).select(
        lambda p: (
            p.title,
            p.author.select(lambda u: u.handle),
            p.comments.order_by(lambda c: c.id.desc()).limit(3).select(lambda c: (c.body, c.author.select(lambda u: u.handle))),
        )
    )
    assert_type(db.run(feed), list[tuple[str, str, list[tuple[str, str | None]]]])
    assert_type(db.run(posts.select(lambda p: (p.id, p.title)).where(lambda row: row[1].starts_with("a"))), list[tuple[int, str]])
    assert_type(db.run(posts.select(lambda p: when(p.score.gt(3), p.title).else_(lit("text", "no")))), list[str])
    assert_type(db.run(posts.select(lambda p: (p.score + 1, p.score.float(), p.rating / 2.0, -p.score))), list[tuple[int, float, float | None, int]])
    assert_type(db.run(users.select(lambda u: (u.bio.or_else(""), u.bio.is_null(), u.bio.eq("x")))), list[tuple[str, bool, bool | None]])


def groups_and_joins(db: Client) -> None:
    grouped = posts.group(lambda p: (p.author_id, count(), sum_(p.score), avg(p.rating), min_(p.title))).where(lambda g: g[1].gt(1))
    assert_type(db.run(grouped), list[tuple[int, int, int | None, float | None, str | None]])
    assert_type(db.run(posts.fold(lambda p: (count(), max_(p.rating)))), tuple[int, float | None])
    joined = (
        posts.left_join(comments, lambda p, c: c.post_id.eq(p.id))
        .join(users, lambda p, c, u: u.id.eq(p.author_id))
        .select(lambda p, c, u: (p.title, c.body, c.id, u.handle))
    )
    assert_type(db.run(joined), list[tuple[str, str | None, UUID | None, str]])
    assert_type(db.run(rows({"n": "int64"}, [{"n": 1}])), list[dict[str, Any]])
    tree = recursive(users.where(lambda u: u.id.eq(1)), lambda self: self)
    assert_type(db.run(tree), list[Users])
    test: Bool[bool | None] = lit("int64", 1).eq(1)
    assert_type(db.run(test), bool | None)


def statements(db: Client) -> None:
    row: PostsNew = {"author_id": 1, "title": "x", "created_at": 1}
    assert_type(db.run(posts.insert(row)), Posts)
    assert_type(db.run(posts.insert_many([row, {"author_id": 1, "title": "x", "created_at": 1, "body": None}])), list[Posts])
    assert_type(db.run(posts.update(1, lambda p: {"score": p.score.add(5), "body": None})), Posts | None)
    assert_type(db.run(posts.update(1, {"score": 5})), Posts | None)
    assert_type(db.run(posts.update_where(lambda p: p.score.gt(1), {"score": 5})), list[Posts])
    assert_type(db.run(posts.delete(1)), Posts | None)
    assert_type(db.run(posts.delete_where(lambda p: ~p.comments.exists())), list[Posts])
    assert_type(db.run(users.insert_ignore([{"handle": "x"}], on=["handle"])), list[Users])
    given: list[UsersNew] = [{"handle": "x"}]
    assert_type(db.copy(users, given), int)
    p = Program()
    gone = p.do(posts.delete(1))
    p.ensure("there", gone)
    p.ensure("enough", accounts.where(lambda a: a.balance.gte(1)))
    made = p.do(accounts.insert_from(gone.rows, lambda row: {"id": row.id, "balance": row.score}))
    assert_type(db.run(p.returning(gone)), Posts | None)
    assert_type(db.run(p.returning((made, posts.count()))), tuple[list[Accounts], int])
    assert_type(db.run(results((users, posts.count(), users.get(1)))), tuple[list[Users], int, Users | None])
    get_post = prepare("get_post", (posts.cols.id, posts.cols.body), lambda id, body: posts.where(lambda q: q.id.eq(id) & q.body.same(body)).first())
    assert_type(db.run(get_post(1, None)), Posts | None)
    assert_type(db.page(posts.order_by(lambda q: q.score.desc()), 10), Page[Posts])
    assert_type(db.cached(users), list[Users])
    for some in db.pages(users, 10):
        assert_type(some, list[Users])
    assert_type(db.reader.run(users), list[Users])


async def later(db: AsyncClient) -> None:
    assert_type(await db.run(posts), list[Posts])
    assert_type(await db.cached(users.get(1)), Users | None)
    async for some in db.watch(users.count()):
        assert_type(some, int)
