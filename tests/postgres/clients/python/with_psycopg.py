"""psycopg 3: types both ways, server-side binding, transactions, pipelines, server cursors, errors."""

import datetime
import threading
import uuid

import psycopg
from psycopg.rows import dict_row, namedtuple_row
from psycopg.types.json import Jsonb

from scenarios import DATABASE, expect, expect_error, main, scenario

ENDLESS = (
    "select count(*) from digit a, digit b, digit c, digit d"
    " where a.n + b.n * c.n - d.n = 1000000000"
)


def connect(server, **options):
    return psycopg.connect(**server.address, dbname=DATABASE, **options)


@scenario("connects by a connection string")
def _(server):
    with psycopg.connect(server.url("postgres")) as connection:
        expect(connection.execute("select 1").fetchone(), (1,))
        expect(connection.info.parameter_status("client_encoding"), "UTF8")
        expect(connection.info.server_version // 10000, 15)


@scenario("sets settings at the start")
def _(server):
    options = {"application_name": "shop", "options": "-c statement_timeout=5s"}
    with connect(server, **options) as connection:
        expect(connection.execute("show application_name").fetchone(), ("shop",))
        expect(connection.execute("show statement_timeout").fetchone(), ("5s",))


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
    {"a": [1, None]},
)


@scenario("reads values of every type as text", ["sample"])
def _(server):
    with connect(server) as connection:
        rows = connection.execute("select * from sample order by id").fetchall()
        expect(rows[0], SAMPLE)
        expect(rows[1], (2,) + (None,) * 13)


@scenario("reads values of every type in binary", ["sample"])
def _(server):
    with connect(server) as connection, connection.cursor(binary=True) as cursor:
        rows = cursor.execute("select * from sample order by id").fetchall()
        expect(rows[0], SAMPLE)
        expect(rows[1], (2,) + (None,) * 13)


def write_every_type(server, mark):
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
    with connect(server) as connection:
        marks = ", ".join([mark] * 14)
        insert = f"insert into sample values ({marks}) returning *"
        row = connection.execute(insert, (*values, Jsonb({"nested": {}}))).fetchone()
        expect(row, (*values, {"nested": {}}))
        nothing = connection.execute(
            f"insert into sample values ({marks}) returning *", (4,) + (None,) * 13
        ).fetchone()
        expect(nothing, (4,) + (None,) * 13)


@scenario("writes values of every type as text", ["sample"])
def _(server):
    write_every_type(server, "%t")


@scenario("writes values of every type in binary", ["sample"])
def _(server):
    write_every_type(server, "%b")


@scenario("writes values of every type in the format of the client", ["sample"])
def _(server):
    write_every_type(server, "%s")


@scenario("describes columns", ["sample"])
def _(server):
    with connect(server) as connection:
        cursor = connection.execute("select id, v, tz from sample where false")
        expect([(c.name, c.type_code) for c in cursor.description], [("id", 23), ("v", 1043), ("tz", 1184)])
        expect(cursor.description[1].display_size, 10)


@scenario("passes lists as arrays", ["book"])
def _(server):
    with connect(server) as connection:
        query = "select title from book where id = any(%s) order by id"
        expect(connection.execute(query, ([1, 3],)).fetchall(), [("Engines",), ("Maps",)])
        query = "select id from book where title = any(%s)"
        expect(connection.execute(query, (["Maps", "a,b", '"', None],)).fetchall(), [(3,)])


@scenario("reads arrays")
def _(server):
    with connect(server) as connection:
        row = connection.execute("select %s::int[], array['a', null]", ([1, 2],)).fetchone()
        expect(row, ([1, 2], ["a", None]))


@scenario("returns rows as dictionaries and named tuples", ["author"])
def _(server):
    with connect(server, row_factory=dict_row) as connection:
        row = connection.execute("select id, name from author where id = 1").fetchone()
        expect(row, {"id": 1, "name": "Ada"})
        cursor = connection.cursor(row_factory=namedtuple_row)
        expect(cursor.execute("select name from author where id = 2").fetchone().name, "Bea")


@scenario("counts changed rows and returns them", ["author"])
def _(server):
    with connect(server) as connection:
        cursor = connection.execute("update author set country = 'DE' where id < 3")
        expect((cursor.rowcount, cursor.statusmessage), (2, "UPDATE 2"))
        cursor = connection.execute(
            "insert into author (name) values (%s), (%s) returning id", ("Zoe", "Abe")
        )
        expect(cursor.fetchall(), [(4,), (5,)])


@scenario("runs a statement for many rows", ["author"])
def _(server):
    with connect(server) as connection, connection.cursor() as cursor:
        rows = [("Zoe", "ES"), ("Abe", None), ("Max", "AT")]
        cursor.executemany("insert into author (name, country) values (%s, %s)", rows)
        expect(cursor.rowcount, 3)
        cursor.executemany("insert into author (name) values (%s) returning name", [("X",), ("Y",)], returning=True)
        expect(cursor.fetchone(), ("X",))
        expect(cursor.nextset(), True)
        expect(cursor.fetchone(), ("Y",))


@scenario("prepares a statement after its fifth use", ["book"])
def _(server):
    with connect(server) as connection:
        for n in range(8):
            row = connection.execute("select title from book where id = %s", (n % 3 + 1,)).fetchone()
            expect(row, (["Engines", "Notes", "Maps"][n % 3],))
        row = connection.execute("select title from book where id = %s", (2,), prepare=True).fetchone()
        expect(row, ("Notes",))


@scenario("commits, and rolls back, by its context", ["account"])
def _(server):
    with connect(server) as connection:
        connection.execute("delete from account where id = 3")
    try:
        with connect(server) as connection:
            connection.execute("delete from account")
            raise KeyError
    except KeyError:
        pass
    with connect(server, autocommit=True) as connection:
        expect(connection.execute("select count(*) from account").fetchone(), (2,))


@scenario("nests transactions by savepoints", ["account"])
def _(server):
    with connect(server) as connection:
        with connection.transaction():
            connection.execute("insert into account values (4, 'Dan', 1)")

            def twice():
                with connection.transaction():
                    connection.execute("insert into account values (5, 'Eve', 1)")
                    connection.execute("insert into account values (4, 'Dan', 1)")

            expect_error("23505", twice)
            with connection.transaction(savepoint_name="named"):
                connection.execute("insert into account values (6, 'Fay', 1)")
        expect(
            connection.execute("select id from account where id > 3 order by id").fetchall(),
            [(4,), (6,)],
        )


@scenario("sets isolation and access of a connection", ["account"])
def _(server):
    with connect(server) as connection:
        connection.isolation_level = psycopg.IsolationLevel.SERIALIZABLE
        connection.read_only = True
        expect(connection.execute("show transaction_isolation").fetchone(), ("serializable",))
        expect_error("25006", lambda: connection.execute("delete from account"))
        connection.rollback()


@scenario("refuses statements of a failed transaction", ["account"])
def _(server):
    with connect(server) as connection:
        expect_error("22012", lambda: connection.execute("select 1 / 0"))
        expect_error("25P02", lambda: connection.execute("select 1"))
        expect(connection.info.transaction_status, psycopg.pq.TransactionStatus.INERROR)
        connection.rollback()
        expect(connection.execute("select 1").fetchone(), (1,))


@scenario("pipelines statements", ["account"])
def _(server):
    with connect(server) as connection:
        with connection.pipeline():
            cursors = [
                connection.execute("update account set balance = balance + %s where id = 3 returning balance", (n,))
                for n in range(10)
            ]
        expect([c.fetchone()[0] for c in cursors], [0, 1, 3, 6, 10, 15, 21, 28, 36, 45])


@scenario("ends a pipeline at an error", ["account"])
def _(server):
    with connect(server, autocommit=True) as connection:

        def failing():
            with connection.pipeline():
                connection.execute("delete from account where id = 1")
                connection.execute("select 1 / 0")
                connection.execute("delete from account where id = 2")

        expect_error("22012", failing)
        expect(connection.execute("select count(*) from account").fetchone(), (3,))


@scenario("reads a server cursor in portions", ["digit"])
def _(server):
    with connect(server) as connection:
        with connection.cursor(name="digits") as cursor:
            cursor.itersize = 150
            cursor.execute("select n from digit order by n")
            expect([n for (n,) in cursor], list(range(400)))
        with connection.cursor(name="some") as cursor:
            cursor.execute("select n from digit where n >= %s order by n", (10,))
            expect(cursor.fetchmany(2), [(10,), (11,)])
            expect(cursor.fetchone(), (12,))


@scenario("streams rows one by one", ["digit"])
def _(server):
    with connect(server) as connection, connection.cursor() as cursor:
        rows = cursor.stream("select n from digit order by n")
        expect(sum(n for (n,) in rows), 79800)


@scenario("reports errors with their details", ["author"])
def _(server):
    with connect(server, autocommit=True) as connection:
        cause = expect_error("23505", lambda: connection.execute("insert into author (name) values ('Ada')"))
        assert isinstance(cause, psycopg.errors.UniqueViolation)
        diag = cause.diag
        expect((diag.table_name, diag.constraint_name), ("author", "author_name_key"))
        cause = expect_error("42703", lambda: connection.execute("select nme from author"))
        expect((cause.diag.statement_position, cause.diag.severity), ("8", "ERROR"))
        cause = expect_error("42601", lambda: connection.execute("select 1 form author"))
        expect(cause.diag.message_primary, 'syntax error at or near "author"')
        expect_error("22P02", lambda: connection.execute("select %s::int", ("x",)))
        expect_error("22003", lambda: connection.execute("select %s::int2", (70000,)))


@scenario("cancels a query from another thread", ["digit"])
def _(server):
    with connect(server, autocommit=True) as connection:
        ended = threading.Event()

        def cancel():
            while not ended.wait(0.05):
                connection.cancel_safe(timeout=5)

        thread = threading.Thread(target=cancel)
        thread.start()
        try:
            expect_error("57014", lambda: connection.execute(ENDLESS))
        finally:
            ended.set()
            thread.join()
        expect(connection.execute("select 1").fetchone(), (1,))


@scenario("reads several results of one text", ["account"])
def _(server):
    with connect(server) as connection:
        cursor = connection.execute("update account set balance = 9; select balance from account where id = 1")
        expect(cursor.rowcount, 3)
        expect(cursor.nextset(), True)
        expect(cursor.fetchall(), [(9,)])


@scenario("works from coroutines", ["book"])
async def _(server):
    async with await psycopg.AsyncConnection.connect(server.url("postgres")) as connection:
        cursor = await connection.execute("select title from book where id = %s", (1,))
        expect(await cursor.fetchone(), ("Engines",))


@scenario("copies rows in and out", ["account"], later="step D, COPY")
def _(server):
    with connect(server) as connection, connection.cursor() as cursor:
        with cursor.copy("copy account from stdin") as copy:
            copy.write_row((4, "Dan", 1))
        with cursor.copy("copy (select id, owner from account where id > 3) to stdout") as copy:
            expect(list(copy.rows()), [("4", "Dan")])


main()
