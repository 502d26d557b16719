"""Rows as dicts with types (`rows: dict`): against a server, whose address is the argument."""

import sys
from dataclasses import dataclass
from typing import Any

from db import Client, Comments, Posts, Program, Users, UsersNew, comments, posts, prepare, users


@dataclass
class Card:
    title: str
    by: str
    comments: list[Comments]


def main(url: str) -> None:
    new: list[UsersNew] = [{"id": 2, "handle": "bob", "bio": "b"}, {"id": 1, "handle": "ada"}]
    with Client(url) as client:
        made: list[Users] = client.run(users.insert_many(new))
        # In the order of the input: their keys are members of dicts.
        assert made == [{"id": 2, "handle": "bob", "bio": "b"}, {"id": 1, "handle": "ada", "bio": None}], made
        post: Posts = client.run(posts.insert({"id": 1, "author_id": 2, "title": "a", "created_at": 5, "score": 2**60}))
        score: int = post["score"]
        assert (score, post["body"], type(post)) == (2**60, None, dict), post
        found: Users | None = client.run(users.get(1))
        assert found is not None and found["bio"] is None
        missing: Users | None = client.run(users.get(9))
        assert missing is None
        client.run(comments.insert({"post_id": 1, "author_id": 1, "body": "c"}))
        nested: list[tuple[str, list[Comments], Users]] = client.run(posts.select(lambda p: (p.title, p.comments, p.author)))
        assert nested[0][1][0]["body"] == "c" and nested[0][2]["handle"] == "bob", nested
        cards: list[Card] = client.run(
            posts.select(lambda p: (p.title, p.author.select(lambda u: u.handle), p.comments)).into(Card)
        )
        assert cards[0].comments[0]["id"].version == 7, cards
        find = prepare("find", (users.cols.id,), lambda id: users.get(id))
        assert client.run(find(2)) == {"id": 2, "handle": "bob", "bio": "b"}
        kept: list[Users] = client.cached(users.order_by(lambda u: u.id))
        assert client.cached(users.order_by(lambda u: u.id)) is kept
        page = client.page(users.order_by(lambda u: u.handle), size=1)
        assert page.rows == [{"id": 1, "handle": "ada", "bio": None}] and page.next is not None, page
        p = Program()
        gone = p.do(users.delete(1))
        assert client.run(p.returning(gone)) == {"id": 1, "handle": "ada", "bio": None}
        changed: Any = client.run(users.upsert([{"id": 2, "handle": "eve"}]))
        # What no row gives stays as it is.
        assert changed == [{"id": 2, "handle": "eve", "bio": "b"}], changed
    print("all is well")


if __name__ == "__main__":
    main(sys.argv[1])
