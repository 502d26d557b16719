"""SQLAlchemy 2 on psycopg 3: Core, ORM with several objects at a time, transactions, tables by metadata."""

import datetime
import uuid

from sqlalchemy import (
    Column,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    String,
    Table,
    bindparam,
    create_engine,
    exists,
    func,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy import types as sa
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload

from scenarios import expect, expect_error, main, scenario


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    country: Mapped[str | None] = mapped_column(String(20))
    books: Mapped[list["Book"]] = relationship(back_populates="author", order_by="Book.id")


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(Identity(), primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    title: Mapped[str]
    pages: Mapped[int | None]
    price: Mapped[float | None] = mapped_column(sa.Double)
    published: Mapped[datetime.date | None]
    author: Mapped[Author] = relationship(back_populates="books")


account = Table(
    "account",
    MetaData(),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("owner", sa.Text, nullable=False),
    Column("balance", sa.BigInteger, nullable=False),
)

sample = Table(
    "sample",
    MetaData(),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("b", sa.Boolean),
    Column("i2", sa.SmallInteger),
    Column("i8", sa.BigInteger),
    Column("f8", sa.Double),
    Column("t", sa.Text),
    Column("y", sa.LargeBinary),
    Column("u", sa.Uuid),
    Column("d", sa.Date),
    Column("ts", sa.DateTime),
    Column("tz", sa.DateTime(timezone=True)),
    Column("j", JSONB),
)


def with_engine(name, tables=(), later=None, **options):
    """Registers a function of an engine, whose connections are closed afterwards."""

    def register(function):
        def run(server):
            settings = {"use_native_hstore": False, **options}
            engine = create_engine(server.url("postgresql+psycopg"), **settings)
            try:
                function(engine)
            finally:
                engine.dispose()

        return scenario(name, tables, later)(run)

    return register


@with_engine("connects and selects")
def _(engine):
    with engine.connect() as connection:
        expect(connection.execute(text("select :n + 1"), {"n": 1}).scalar_one(), 2)
        expect(connection.dialect.server_version_info[0], 15)
        expect(connection.dialect.default_schema_name, "public")


@with_engine("asks for the type hstore", later="step C, catalogs", use_native_hstore=True)
def _(engine):
    with engine.connect() as connection:
        expect(connection.execute(text("select 1")).scalar_one(), 1)


@with_engine("selects, filters, sorts and limits", ["book"])
def _(engine):
    with engine.connect() as connection:
        query = (
            select(Book.id, Book.title)
            .where((Book.pages > 100) | Book.pages.is_(None), Book.id.in_([1, 2, 3]))
            .order_by(Book.title.desc())
            .limit(2)
            .offset(0)
        )
        expect([tuple(row) for row in connection.execute(query)], [(3, "Maps"), (1, "Engines")])


@with_engine("joins, groups and aggregates", ["book"])
def _(engine):
    with engine.connect() as connection:
        query = (
            select(Author.name, func.count(Book.id), func.max(Book.price))
            .outerjoin(Book)
            .group_by(Author.id, Author.name)
            .having(func.count(Book.id) < 5)
            .order_by(func.count(Book.id).desc(), Author.name)
        )
        expect(
            [tuple(row) for row in connection.execute(query)],
            [("Ada", 2, 12.5), ("Bea", 1, None), ("Cyd", 0, None)],
        )


@with_engine("uses subqueries, EXISTS and common table expressions", ["book"])
def _(engine):
    with engine.connect() as connection:
        long = select(Book).where(Book.pages > 100).cte("long")
        query = select(long.c.title, Author.name).join(Author, Author.id == long.c.author_id)
        expect([tuple(row) for row in connection.execute(query)], [("Engines", "Ada")])
        query = select(Author.name).where(~exists().where(Book.author_id == Author.id))
        expect(connection.execute(query).scalars().all(), ["Cyd"])
        newest = select(func.max(Book.id)).where(Book.author_id == Author.id).scalar_subquery()
        query = select(Author.name, newest).order_by(Author.id)
        expect([tuple(row) for row in connection.execute(query)], [("Ada", 2), ("Bea", 3), ("Cyd", None)])


@with_engine("selects by LIKE, upper and lower case", ["book"])
def _(engine):
    with engine.connect() as connection:
        query = select(Book.title).where(Book.title.startswith("Ma"))
        expect(connection.execute(query).scalars().all(), ["Maps"])
        query = select(func.upper(Book.title)).where(Book.title.icontains("GIN"))
        expect(connection.execute(query).scalars().all(), ["ENGINES"])


@with_engine("unites queries", ["book"])
def _(engine):
    with engine.connect() as connection:
        query = select(Author.name).where(Author.id == 1).union_all(select(Book.title).where(Book.id == 3))
        expect(sorted(connection.execute(query).scalars()), ["Ada", "Maps"])


@with_engine("writes and reads values of every type", ["sample"])
def _(engine):
    row = {
        "id": 3,
        "b": False,
        "i2": 7,
        "i8": 9007199254740993,
        "f8": -1e-7,
        "t": "it's \"quoted\"\n",
        "y": b"\x01\x00\xfe",
        "u": uuid.UUID(int=1),
        "d": datetime.date(1969, 12, 31),
        "ts": datetime.datetime(2031, 5, 6, 7, 8, 9, 10000),
        "tz": datetime.datetime(2031, 5, 6, 7, 8, 9, 10000, datetime.timezone.utc),
        "j": {"nested": {"empty": {}}},
    }
    with engine.begin() as connection:
        connection.execute(sample.insert(), row)
        connection.execute(sample.insert(), {"id": 4})
    with engine.connect() as connection:
        read = connection.execute(select(sample).where(sample.c.id == 3)).mappings().one()
        expect(dict(read), row)
        read = connection.execute(select(sample).where(sample.c.id == 4)).one()
        expect(tuple(read), (4,) + (None,) * 11)


@with_engine("inserts and returns rows", ["author"])
def _(engine):
    with engine.begin() as connection:
        rows = [{"name": "Zoe", "country": "ES"}, {"name": "Abe", "country": None}]
        query = insert(Author).values(rows).returning(Author.id, Author.name)
        expect([tuple(row) for row in connection.execute(query)], [(4, "Zoe"), (5, "Abe")])


@with_engine("updates and deletes rows", ["account"])
def _(engine):
    with engine.begin() as connection:
        result = connection.execute(
            update(account).where(account.c.balance > 0).values(balance=account.c.balance + 1)
        )
        expect(result.rowcount, 2)
        query = account.delete().where(account.c.id == 2).returning(account.c.balance)
        expect(connection.execute(query).scalar_one(), 51)
        many = update(account).where(account.c.id == bindparam("key")).values(owner=bindparam("name"))
        connection.execute(many, [{"key": 1, "name": "A"}, {"key": 3, "name": "C"}])
        query = select(account.c.owner).order_by(account.c.id)
        expect(connection.execute(query).scalars().all(), ["A", "C"])


@with_engine("inserts or updates by ON CONFLICT", ["author"])
def _(engine):
    with engine.begin() as connection:
        query = insert(Author).values([{"name": "Ada", "country": "IT"}, {"name": "Fay", "country": "PT"}])
        query = query.on_conflict_do_update(
            index_elements=[Author.name], set_={"country": query.excluded.country}
        )
        connection.execute(query)
        connection.execute(insert(Author).values(name="Ada").on_conflict_do_nothing())
        query = select(Author.country).where(Author.name.in_(["Ada", "Fay"])).order_by(Author.name)
        expect(connection.execute(query).scalars().all(), ["IT", "PT"])


@with_engine("stores objects and gives each its own id", ["book"])
def _(engine):
    titles = ["Zoe", "Abe", "Max", "Eve", "Ben"]
    with Session(engine) as session:
        books = [Book(author_id=2, title=title, pages=n) for n, title in enumerate(titles)]
        session.add_all(books)
        session.commit()
        ids = [book.id for book in books]
    with Session(engine) as session:
        for n, (id, title) in enumerate(zip(ids, titles)):
            book = session.get(Book, id)
            expect((book.title, book.pages, book.author.name), (title, n, "Bea"))


@with_engine(
    "stores related objects with a text of limited length",
    ["book"],
    later="step C, lengths of computed text",
)
def _(engine):
    names = ["Zoe", "Abe", "Max", "Eve", "Ben"]
    with Session(engine) as session:
        authors = [Author(name=name, books=[Book(title=f"By {name}")]) for name in names]
        session.add_all(authors)
        session.commit()
        ids = [author.id for author in authors]
    with Session(engine) as session:
        for id, name in zip(ids, names):
            author = session.get(Author, id)
            expect((author.name, [book.title for book in author.books]), (name, [f"By {name}"]))


@with_engine("loads related objects", ["book"])
def _(engine):
    with Session(engine) as session:
        authors = session.scalars(select(Author).options(selectinload(Author.books)).order_by(Author.id)).all()
        expect([[book.title for book in author.books] for author in authors], [["Engines", "Notes"], ["Maps"], []])
        book = session.scalars(select(Book).join(Book.author).where(Author.name == "Bea")).one()
        expect(book.author.country, "FR")


@with_engine("changes and deletes objects", ["book"])
def _(engine):
    with Session(engine) as session:
        ada = session.get(Author, 1)
        ada.country = "IT"
        ada.books[0].pages = 321
        session.delete(session.get(Author, 3))
        session.commit()
        expect(session.scalars(select(Book.pages).where(Book.id == 1)).one(), 321)
        expect(session.scalars(select(func.count()).select_from(Author)).one(), 2)
        expect(ada.country, "IT")


@with_engine("undoes a nested transaction of a session", ["author"])
def _(engine):
    with Session(engine) as session:
        session.add(Author(name="Dan"))
        session.flush()

        def twice():
            with session.begin_nested():
                session.add(Author(name="Ada"))

        expect_error("23505", twice)
        session.commit()
        expect(session.scalars(select(Author.name).where(Author.id > 3)).all(), ["Dan"])


@with_engine("commits and rolls back transactions", ["account"])
def _(engine):
    with engine.begin() as connection:
        connection.execute(account.delete().where(account.c.id == 3))

    def failing():
        with engine.begin() as connection:
            connection.execute(account.delete())
            connection.execute(text("select 1 / 0"))

    expect_error("22012", failing)
    with engine.connect() as connection:
        expect(connection.execute(select(func.count()).select_from(account)).scalar_one(), 2)


@with_engine("sets the isolation level of connections", ["account"], isolation_level="SERIALIZABLE")
def _(engine):
    with engine.connect() as connection:
        expect(connection.get_isolation_level(), "SERIALIZABLE")
        expect(connection.execute(text("show transaction_isolation")).scalar_one(), "serializable")


@with_engine("commits each statement alone", ["account"], isolation_level="AUTOCOMMIT")
def _(engine):
    with engine.connect() as connection:
        connection.execute(account.delete().where(account.c.id == 1))
    with engine.connect() as connection:
        expect(connection.execute(select(func.count()).select_from(account)).scalar_one(), 2)


@with_engine("streams rows by a server cursor", ["digit"])
def _(engine):
    with engine.connect() as connection:
        query = text("select n from digit order by n").execution_options(yield_per=150)
        rows = connection.execute(query)
        expect([len(part) for part in rows.partitions(150)], [150, 150, 100])


@with_engine("inserts many rows at a time", ["account"], insertmanyvalues_page_size=100)
def _(engine):
    with engine.begin() as connection:
        rows = [{"id": n, "owner": f"o{n}", "balance": n} for n in range(10, 260)]
        result = connection.execute(account.insert().returning(account.c.id, sort_by_parameter_order=True), rows)
        expect(result.scalars().all(), list(range(10, 260)))


@with_engine("checks connections before their use", ["account"], pool_pre_ping=True)
def _(engine):
    for _ in range(2):
        with engine.connect() as connection:
            expect(connection.execute(text("select 1")).scalar_one(), 1)


@with_engine("creates and drops tables by metadata", later="step C, catalogs")
def _(engine):
    metadata = MetaData()
    Table("passing", metadata, Column("id", Integer, primary_key=True), Column("note", String(9), index=True))
    metadata.drop_all(engine)
    metadata.create_all(engine)
    metadata.create_all(engine)
    metadata.drop_all(engine)


@with_engine("reflects tables", ["book"], later="step C, catalogs")
def _(engine):
    inspector = inspect(engine)
    expect(set(inspector.get_table_names()) >= {"author", "book"}, True)
    expect([column["name"] for column in inspector.get_columns("author")], ["id", "name", "country"])
    expect(inspector.get_foreign_keys("book")[0]["referred_table"], "author")
    expect(inspector.get_pk_constraint("book")["constrained_columns"], ["id"])


main()
