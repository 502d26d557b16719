"""Lines that checkers of types must refuse where rows are dicts."""

from db import Client, Posts, Users, posts, users


def wrong(client: Client, post: Posts) -> None:
    print(post.title)  # bad
    print(post["no"])  # bad
    title: int = post["title"]  # bad
    body: str = post["body"]  # bad
    found: Users = client.run(users.get(1))  # bad
    rows: list[Users] = client.run(posts)  # bad
    made: Users = {"id": 1, "handle": "a"}  # bad
    print(title, body, found, rows, made)
