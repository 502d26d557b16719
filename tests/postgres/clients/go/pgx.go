package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const endless = "select count(*) from digit a, digit b, digit c, digit d where a.n + b.n * c.n - d.n = 1000000000"

func scenarios() []scenario {
	later := func(step string, one scenario) scenario {
		one.Later = &step
		return one
	}
	return []scenario{
		with("connects by a connection string", nil, func(ctx context.Context, c *pgx.Conn) error {
			var one int32
			return first(c.QueryRow(ctx, "select 1").Scan(&one), expect(one, int32(1)))
		}),
		{Name: "sets settings at the start", run: func(ctx context.Context, s server) error {
			c, err := pgx.Connect(ctx, s.url("&application_name=shop&statement_timeout=5000"))
			if err != nil {
				return err
			}
			defer c.Close(ctx)
			var name, timeout string
			return first(
				c.QueryRow(ctx, "show application_name").Scan(&name),
				c.QueryRow(ctx, "show statement_timeout").Scan(&timeout),
				expect(name+timeout, "shop5s"),
			)
		}},
		{Name: "shares connections of a pool", Tables: []string{"book"}, run: func(ctx context.Context, s server) error {
			pool, err := pgxpool.New(ctx, s.url("&pool_max_conns=3"))
			if err != nil {
				return err
			}
			defer pool.Close()
			done := make(chan error)
			for n := range 20 {
				go func() {
					var id int32
					err := pool.QueryRow(ctx, "select id from book where id = $1", n%3+1).Scan(&id)
					done <- first(err, expect(id, int32(n%3+1)))
				}()
			}
			var errs []error
			for range 20 {
				errs = append(errs, <-done)
			}
			return errors.Join(errs...)
		}},
		with("reads values of every type in binary", []string{"sample"}, readsSample),
		with("writes values of every type", []string{"sample"}, writesSample),
		with("reads and writes without prepared statements", []string{"book"}, func(ctx context.Context, c *pgx.Conn) error {
			modes := []pgx.QueryExecMode{
				pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
				pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
			}
			for _, mode := range modes {
				var title string
				var price *float64
				err := c.QueryRow(ctx, "select title, price from book where id = $1 and published > $2", mode, 1,
					time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Scan(&title, &price)
				if err := first(err, expect(title, "Engines")); err != nil {
					return fmt.Errorf("%v: %w", mode, err)
				}
			}
			return nil
		}),
		with("passes slices as arrays", []string{"book"}, func(ctx context.Context, c *pgx.Conn) error {
			rows, _ := c.Query(ctx, "select title from book where id = any($1) order by id", []int32{1, 3})
			titles, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err := first(err, expect(titles, []string{"Engines", "Maps"})); err != nil {
				return err
			}
			var list []string
			return first(
				c.QueryRow(ctx, "select $1::text[]", []string{"a,b", `"`}).Scan(&list),
				expect(list, []string{"a,b", `"`}),
			)
		}),
		with("collects rows into structs", []string{"author"}, func(ctx context.Context, c *pgx.Conn) error {
			type author struct {
				ID      int32
				Name    string
				Country *string
			}
			rows, _ := c.Query(ctx, "select id, name, country from author where id > 2")
			authors, err := pgx.CollectRows(rows, pgx.RowToStructByName[author])
			return first(err, expect(authors, []author{{3, "Cyd", nil}}))
		}),
		with("counts changed rows and returns them", []string{"author"}, func(ctx context.Context, c *pgx.Conn) error {
			tag, err := c.Exec(ctx, "update author set country = $1 where id < $2", "DE", 3)
			if err := first(err, expect(tag.String(), "UPDATE 2")); err != nil {
				return err
			}
			var id int32
			return first(
				c.QueryRow(ctx, "insert into author (name) values ($1) returning id", "Zoe").Scan(&id),
				expect(id, int32(4)),
			)
		}),
		with("inserts or updates by ON CONFLICT", []string{"author"}, func(ctx context.Context, c *pgx.Conn) error {
			var country *string
			upsert := "insert into author (name, country) values ($1, $2) on conflict (name) do update set country = excluded.country returning country"
			return first(
				c.QueryRow(ctx, upsert, "Ada", "IT").Scan(&country),
				expect(*country, "IT"),
				c.QueryRow(ctx, upsert, "Fay", nil).Scan(&country),
				expect(country, (*string)(nil)),
			)
		}),
		with("describes a prepared statement", []string{"author"}, func(ctx context.Context, c *pgx.Conn) error {
			statement, err := c.Prepare(ctx, "find", "select id, country from author where id = $1 or name like $2")
			if err != nil {
				return err
			}
			oids := []uint32{statement.Fields[0].DataTypeOID, statement.Fields[1].DataTypeOID}
			var id int32
			return first(
				expect(statement.ParamOIDs, []uint32{23, 25}),
				expect(oids, []uint32{23, 1043}),
				c.QueryRow(ctx, "find", 3, "").Scan(&id, nil),
				expect(id, int32(3)),
				c.Deallocate(ctx, "find"),
			)
		}),
		with("sends a batch", []string{"account"}, func(ctx context.Context, c *pgx.Conn) error {
			batch := &pgx.Batch{}
			for n := range 10 {
				batch.Queue("update account set balance = balance + $1 where id = 3", n)
			}
			var balance int64
			batch.Queue("select balance from account where id = 3").QueryRow(func(row pgx.Row) error { return row.Scan(&balance) })
			return first(c.SendBatch(ctx, batch).Close(), expect(balance, int64(45)))
		}),
		with("undoes a batch that fails", []string{"account"}, func(ctx context.Context, c *pgx.Conn) error {
			batch := &pgx.Batch{}
			batch.Queue("delete from account where id = $1", 1)
			batch.Queue("select 1 / $1::int", 0)
			batch.Queue("delete from account where id = $1", 2)
			_, wrong := expectError(c.SendBatch(ctx, batch).Close(), "22012")
			var count int64
			return first(wrong, c.QueryRow(ctx, "select count(*) from account").Scan(&count), expect(count, int64(3)))
		}),
		with("commits and rolls back transactions, with savepoints", []string{"account"}, func(ctx context.Context, c *pgx.Conn) error {
			err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, "delete from account where id = 3"); err != nil {
					return err
				}
				inner := pgx.BeginFunc(ctx, tx, func(deeper pgx.Tx) error {
					if _, err := deeper.Exec(ctx, "delete from account"); err != nil {
						return err
					}
					_, err := deeper.Exec(ctx, "select 1 / 0")
					return err
				})
				_, wrong := expectError(inner, "22012")
				return wrong
			})
			var count int64
			return first(err, c.QueryRow(ctx, "select count(*) from account").Scan(&count), expect(count, int64(2)))
		}),
		with("sets isolation and access of a transaction", []string{"account"}, func(ctx context.Context, c *pgx.Conn) error {
			tx, err := c.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly})
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "delete from account")
			_, wrong := expectError(err, "25006")
			return first(wrong, tx.Rollback(ctx))
		}),
		with("refuses statements of a failed transaction", nil, func(ctx context.Context, c *pgx.Conn) error {
			tx, err := c.Begin(ctx)
			if err != nil {
				return err
			}
			_, err = tx.Exec(ctx, "select nothing")
			_, wrong := expectError(err, "42703")
			_, err = tx.Exec(ctx, "select 1")
			_, also := expectError(err, "25P02")
			return first(wrong, also, expect(tx.Commit(ctx), pgx.ErrTxCommitRollback))
		}),
		with("reports errors with their details", []string{"author"}, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "insert into author (name) values ('Ada')")
			unique, wrong := expectError(err, "23505")
			if wrong != nil {
				return wrong
			}
			_, err = c.Exec(ctx, "select nme from author")
			unknown, wrong := expectError(err, "42703")
			if wrong != nil {
				return wrong
			}
			_, err = c.Exec(ctx, "selct 1")
			_, wrong = expectError(err, "42601")
			return first(wrong, expect(unique.ConstraintName, "author_name_key"), expect(unknown.Position, int32(8)))
		}),
		with("keeps the connection after an error of a value", []string{"book"}, func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, "select ($1::text)::int", "x")
			_, wrong := expectError(err, "22P02")
			var one int32
			return first(wrong, c.QueryRow(ctx, "select 1").Scan(&one), expect(one, int32(1)))
		}),
		with("ends a statement after its timeout", []string{"digit"}, func(ctx context.Context, c *pgx.Conn) error {
			if _, err := c.Exec(ctx, "set statement_timeout = 50"); err != nil {
				return err
			}
			_, err := c.Exec(ctx, endless)
			_, wrong := expectError(err, "57014")
			return wrong
		}),
		with("cancels a query by a request", []string{"digit"}, func(ctx context.Context, c *pgx.Conn) error {
			ended := make(chan error)
			go func() {
				_, err := c.Exec(ctx, endless)
				ended <- err
			}()
			for {
				select {
				case err := <-ended:
					_, wrong := expectError(err, "57014")
					return wrong
				case <-time.After(50 * time.Millisecond):
					if err := c.PgConn().CancelRequest(ctx); err != nil {
						return err
					}
				}
			}
		}),
		with("reads a cursor of SQL in portions", []string{"digit"}, func(ctx context.Context, c *pgx.Conn) error {
			tx, err := c.Begin(ctx)
			if err != nil {
				return err
			}
			defer tx.Rollback(ctx)
			if _, err := tx.Exec(ctx, "declare c cursor for select n from digit order by n"); err != nil {
				return err
			}
			for _, expected := range []int{150, 150, 100, 0} {
				rows, _ := tx.Query(ctx, "fetch 150 from c")
				numbers, err := pgx.CollectRows(rows, pgx.RowTo[int32])
				if err := first(err, expect(len(numbers), expected)); err != nil {
					return err
				}
			}
			return nil
		}),
		later("step D, COPY", with("copies rows in", []string{"account"}, func(ctx context.Context, c *pgx.Conn) error {
			rows := [][]any{{int32(4), "Dan", int64(1)}, {int32(5), "Eve", int64(2)}}
			count, err := c.CopyFrom(ctx, pgx.Identifier{"account"}, []string{"id", "owner", "balance"}, pgx.CopyFromRows(rows))
			return first(err, expect(count, int64(2)))
		})),
	}
}

type sample struct {
	id int32
	b  *bool
	i2 *int16
	i4 *int32
	i8 *int64
	f8 *float64
	t  *string
	v  *string
	y  []byte
	u  *string
	d  *time.Time
	ts *time.Time
	tz *time.Time
	j  map[string]any
}

func (s *sample) places() []any {
	return []any{&s.id, &s.b, &s.i2, &s.i4, &s.i8, &s.f8, &s.t, &s.v, &s.y, &s.u, &s.d, &s.ts, &s.tz, &s.j}
}

func (s *sample) values() []any {
	return []any{s.id, s.b, s.i2, s.i4, s.i8, s.f8, s.t, s.v, s.y, s.u, s.d, s.ts, s.tz, s.j}
}

func at[T any](value T) *T { return &value }

func readsSample(ctx context.Context, c *pgx.Conn) error {
	var full, empty sample
	err := first(
		c.QueryRow(ctx, "select * from sample where id = $1", 1).Scan(full.places()...),
		c.QueryRow(ctx, "select * from sample where id = $1", 2).Scan(empty.places()...),
	)
	if err != nil {
		return err
	}
	return first(
		expect(*full.i4, int32(2147483647)),
		expect(full.y, []byte{0, 255}),
		expect(*full.u, "0190aabb-ccdd-7eef-8123-456789abcdef"),
		expect(full.ts.Format(time.RFC3339Nano), "2024-02-29T12:34:56.789Z"),
		expect(full.tz.UTC().Format(time.RFC3339Nano), "2024-02-29T10:34:56.789Z"),
		expect(full.d.Format(time.DateOnly), "2024-02-29"),
		expect(full.j, map[string]any{"a": []any{1.0, nil}}),
		expect(empty, sample{id: 2}),
	)
}

func writesSample(ctx context.Context, c *pgx.Conn) error {
	instant := time.Date(2031, 5, 6, 7, 8, 9, 10_000_000, time.UTC)
	row := sample{
		id: 3, b: at(false), i2: at(int16(7)), i4: at(int32(-8)), i8: at(int64(9007199254740993)), f8: at(-1e-7),
		t: at("it's \"quoted\"\n"), v: at(""), y: []byte{1, 0, 254}, u: at("00000000-0000-0000-0000-000000000001"),
		d: at(time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC)), ts: &instant, tz: &instant,
		j: map[string]any{"nested": map[string]any{}},
	}
	var read sample
	insert := "insert into sample values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) returning *"
	if err := c.QueryRow(ctx, insert, row.values()...).Scan(read.places()...); err != nil {
		return err
	}
	read.tz = at(read.tz.UTC())
	return expect(read, row)
}
