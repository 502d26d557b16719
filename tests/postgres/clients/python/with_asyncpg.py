"""asyncpg: binary values both ways, prepared statements, transactions, cursors, errors."""

import asyncio
import datetime
import json
import uuid

import asyncpg

from scenarios import DATABASE, expect, main, scenario, sqlstate_of


async def connect(server, **options):
    return await asyncpg.connect(**server.address, database=DATABASE, **options)


def connected(name, tables=(), later=None, **options):
    """Registers a coroutine function of a connection, which is closed afterwards."""

    def register(function):
        async def run(server):
            connection = await connect(server, **options)
            try:
                await function(connection)
            finally:
                await connection.close(timeout=5)

        return scenario(name, tables, later)(run)

    return register


async def expect_error(code, awaitable):
    try:
        await awaitable
    except asyncpg.PostgresError as cause:
        if sqlstate_of(cause) != code:
            raise
        return cause
    raise AssertionError(f"expected the error {code}")


@scenario("connects by a connection string")
async def _(server):
    connection = await asyncpg.connect(server.url("postgres"))
    expect(await connection.fetchval("select 1"), 1)
    expect(connection.get_server_version().major, 15)
    await connection.close()


@connected("sets settings at the start", server_settings={"application_name": "shop"})
async def _(connection):
    expect(await connection.fetchval("show application_name"), "shop")


SAMPLE = (
    1,
    True,
    -32768,
    2147483647,
    9223372036854775807,
    0.1,
    "Grüße",
    "ten chars.",
    b"\x00\xff",
    uuid.UUID("0190aabb-ccdd-7eef-8123-456789abcdef"),
    datetime.date(2024, 2, 29),
    datetime.datetime(2024, 2, 29, 12, 34, 56, 789000),
    datetime.datetime(2024, 2, 29, 10, 34, 56, 789000, datetime.timezone.utc),
)
COLUMNS = "id, b, i2, i4, i8, f8, t, v, y, u, d, ts, tz"


@connected("reads values of every type", ["sample"])
async def _(connection):
    rows = await connection.fetch(f"select {COLUMNS} from sample order by id")
    expect(tuple(rows[0].values()), SAMPLE)
    expect(tuple(rows[1].values()), (2,) + (None,) * 12)
    expect(json.loads(await connection.fetchval("select j from sample where id = 1")), {"a": [1, None]})


@connected("writes values of every type", ["sample"])
async def _(connection):
    values = (
        3,
        False,
        7,
        -8,
        9007199254740993,
        -1e-7,
        "it's \"quoted\"\n",
        "",
        b"\x01\x00\xfe",
        uuid.UUID(int=1),
        datetime.date(1969, 12, 31),
        datetime.datetime(2031, 5, 6, 7, 8, 9, 10000),
        datetime.datetime(2031, 5, 6, 7, 8, 9, 10000, datetime.timezone.utc),
    )
    marks = ", ".join(f"${n + 1}" for n in range(13))
    insert = f"insert into sample ({COLUMNS}) values ({marks}) returning {COLUMNS}"
    expect(tuple(await connection.fetchrow(insert, *values)), values)
    expect(tuple(await connection.fetchrow(insert, 4, *[None] * 12)), (4,) + (None,) * 12)


@connected("converts JSON by a codec of the client", ["sample"])
async def _(connection):
    await connection.set_type_codec(
        "jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog"
    )
    document = {"nested": {"empty": {}}}
    expect(await connection.fetchval("update sample set j = $1 where id = 1 returning j", document), document)


@connected("passes lists as arrays", ["book"], later="step C, catalogs")
async def _(connection):
    rows = await connection.fetch("select title from book where id = any($1::int[]) order by id", [1, 3])
    expect([row["title"] for row in rows], ["Engines", "Maps"])
    rows = await connection.fetch("select id from book where title = any($1::text[])", ["Maps", None])
    expect([row["id"] for row in rows], [3])
    expect(await connection.fetchval("select $1::text[]", ["a,b", None]), ["a,b", None])


@connected("returns records, one row and one value", ["author"])
async def _(connection):
    row = await connection.fetchrow("select id, name from author where id = $1", 1)
    expect((row["name"], dict(row)), ("Ada", {"id": 1, "name": "Ada"}))
    expect(await connection.fetchrow("select id from author where id = 99"), None)
    expect(await connection.fetchval("select id, name from author where id = 1", column=1), "Ada")


@connected("reports the tag of a statement", ["author"])
async def _(connection):
    expect(await connection.execute("update author set country = 'DE' where id < 3"), "UPDATE 2")
    expect(await connection.execute("insert into author (name) values ($1)", "Zoe"), "INSERT 0 1")
    expect(await connection.execute("delete from author where id = 3"), "DELETE 1")


@connected("runs several statements of one text", ["account"])
async def _(connection):
    expect(await connection.execute("delete from account where id = 1; update account set balance = 1"), "UPDATE 2")


@connected("runs a statement for many rows, all or none", ["account"])
async def _(connection):
    insert = "insert into account values ($1, $2, $3)"
    await connection.executemany(insert, [(n, "Dan", n) for n in range(10, 20)])
    expect(await connection.fetchval("select count(*) from account"), 13)
    await expect_error("23505", connection.executemany(insert, [(30, "x", 1), (30, "x", 1)]))
    expect(await connection.fetchval("select count(*) from account"), 13)


@connected("inserts or updates by ON CONFLICT", ["author"])
async def _(connection):
    upsert = (
        "insert into author (name, country) values ($1, $2)"
        " on conflict (name) do update set country = excluded.country returning country"
    )
    expect(await connection.fetchval(upsert, "Ada", "IT"), "IT")
    expect(await connection.fetchval(upsert, "Fay", None), None)


@connected("prepares a statement and describes it", ["author"])
async def _(connection):
    statement = await connection.prepare("select id, name, country from author where id = $1 or name like $2")
    expect([type.name for type in statement.get_parameters()], ["int4", "text"])
    expect([(a.name, a.type.name) for a in statement.get_attributes()], [("id", "int4"), ("name", "text"), ("country", "varchar")])
    expect(len(await statement.fetch(1, "B%")), 2)
    expect(await statement.fetchval(3, "", column=1), "Cyd")


@connected("repeats a statement of its cache", ["book"])
async def _(connection):
    for n in range(8):
        title = await connection.fetchval("select title from book where id = $1", n % 3 + 1)
        expect(title, ["Engines", "Notes", "Maps"][n % 3])


@connected("works without a cache of statements", ["book"], statement_cache_size=0)
async def _(connection):
    expect(await connection.fetchval("select title from book where id = $1", 2), "Notes")


@connected("commits and rolls back transactions", ["account"])
async def _(connection):
    async with connection.transaction():
        await connection.execute("delete from account where id = 3")
    try:
        async with connection.transaction():
            await connection.execute("delete from account")
            raise KeyError
    except KeyError:
        pass
    expect(await connection.fetchval("select count(*) from account"), 2)


@connected("nests transactions by savepoints", ["account"])
async def _(connection):
    async with connection.transaction():
        await connection.execute("insert into account values (4, 'Dan', 1)")
        try:
            async with connection.transaction():
                await connection.execute("insert into account values (5, 'Eve', 1)")
                await connection.execute("select 1 / 0")
        except asyncpg.DivisionByZeroError:
            pass
        async with connection.transaction():
            await connection.execute("insert into account values (6, 'Fay', 1)")
    rows = await connection.fetch("select id from account where id > 3 order by id")
    expect([row["id"] for row in rows], [4, 6])


@connected("sets isolation and access of a transaction", ["account"])
async def _(connection):
    async with connection.transaction(isolation="serializable", readonly=True):
        expect(await connection.fetchval("show transaction_isolation"), "serializable")
        await expect_error("25006", connection.execute("delete from account"))


@connected("refuses statements of a failed transaction")
async def _(connection):
    transaction = connection.transaction()
    await transaction.start()
    await expect_error("22012", connection.fetchval("select 1 / 0"))
    await expect_error("25P02", connection.fetchval("select 1"))
    await transaction.rollback()
    expect(await connection.fetchval("select 1"), 1)


@connected("reads a cursor in portions", ["digit"])
async def _(connection):
    async with connection.transaction():
        seen = [row["n"] async for row in connection.cursor("select n from digit order by n", prefetch=150)]
        expect(seen, list(range(400)))
        cursor = await connection.cursor("select n from digit where n >= $1 order by n", 10)
        expect([row["n"] for row in await cursor.fetch(2)], [10, 11])
        expect(await cursor.forward(5), 5)
        expect((await cursor.fetchrow())["n"], 17)


@connected("reports errors with their details", ["author"])
async def _(connection):
    cause = await expect_error("23505", connection.execute("insert into author (name) values ('Ada')"))
    assert isinstance(cause, asyncpg.UniqueViolationError)
    expect((cause.table_name, cause.constraint_name), ("author", "author_name_key"))
    cause = await expect_error("42703", connection.fetch("select nme from author"))
    expect((cause.position, cause.severity), ("8", "ERROR"))
    await expect_error("42P01", connection.fetch("select * from nowhere"))
    cause = await expect_error("42601", connection.execute("selct 1"))
    expect(str(cause), 'syntax error at or near "selct"')
    await expect_error("22P02", connection.fetchval("select ($1::text)::int", "x"))


@connected("cancels a query after a timeout of the client", ["digit"])
async def _(connection):
    endless = "select count(*) from digit a, digit b, digit c, digit d where a.n + b.n * c.n - d.n = 1000000000"
    try:
        await connection.fetchval(endless, timeout=0.2)
    except asyncio.TimeoutError:
        pass
    else:
        raise AssertionError("expected a timeout")
    expect(await connection.fetchval("select 1"), 1)


@connected("ends a statement after the timeout of the server", ["digit"], server_settings={"statement_timeout": "50"})
async def _(connection):
    endless = "select count(*) from digit a, digit b, digit c, digit d where a.n + b.n * c.n - d.n = 1000000000"
    await expect_error("57014", connection.fetchval(endless))


@scenario("resets connections of a pool", ["book"])
async def _(server):
    async with asyncpg.create_pool(server.url("postgres"), min_size=1, max_size=3) as pool:
        titles = await asyncio.gather(
            *[pool.fetchval("select title from book where id = $1", n % 3 + 1) for n in range(20)]
        )
        expect(titles[:4], ["Engines", "Notes", "Maps", "Engines"])


@connected("copies records in", ["account"], later="step D, COPY")
async def _(connection):
    await connection.copy_records_to_table("account", records=[(4, "Dan", 1)])
    expect(await connection.fetchval("select owner from account where id = 4"), "Dan")


main()
