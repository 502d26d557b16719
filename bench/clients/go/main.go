// Runs each question through the generated client, and by hand with net/http and encoding/json, in rounds that alternate. Prints one line of JSON.
// Arguments: the server's address, the file of programs, milliseconds of a round, rounds.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"svc.test/app/db"
)

const (
	connections = 8
	keys        = 1000
)

type post struct {
	ID        int64    `json:"id"`
	AuthorID  int64    `json:"author_id"`
	Title     string   `json:"title"`
	Body      *string  `json:"body"`
	Score     int64    `json:"score"`
	Rating    *float64 `json:"rating"`
	CreatedAt int64    `json:"created_at"`
}

type user struct {
	Handle string `json:"handle"`
}

type card struct {
	post
	Author   user  `json:"author"`
	Count    int64 `json:"count"`
	Comments []struct {
		Body string `json:"body"`
		By   *user  `json:"by"`
	} `json:"comments"`
}

type handle struct{ Handle string }

type comment struct {
	Body string
	By   db.Null[handle]
}

type madeCard struct {
	db.Post
	Author   handle
	Count    int64
	Comments []comment
}

func feed() *db.Query[madeCard] {
	p := db.Posts.As()
	author := p.Author()
	m := p.Comments()
	by := m.Author()
	return db.Select(p.OrderBy(p.CreatedAt.Desc(), p.ID.Desc()).Limit(20),
		db.IntoPost(p.PostCols, func(r *madeCard) *db.Post { return &r.Post }),
		db.Into("author", db.SelectOne(author, db.Into("handle", author.Handle, func(r *handle) *string { return &r.Handle })),
			func(r *madeCard) *handle { return &r.Author }),
		db.Into("count", p.Comments().CountExpr(), func(r *madeCard) *int64 { return &r.Count }),
		db.Into("comments", db.Select(m.OrderBy(m.Body).Limit(3),
			db.Into("body", m.Body, func(r *comment) *string { return &r.Body }),
			db.Into("by", db.SelectMaybe(by, db.Into("handle", by.Handle, func(r *handle) *string { return &r.Handle })),
				func(r *comment) *db.Null[handle] { return &r.By })),
			func(r *madeCard) *[]comment { return &r.Comments }))
}

func list() *db.PostScope { return db.Posts.As() }

// A program as somebody would write it down.
type object = map[string]any

func pointProgram(key int) object {
	col := func(name string) object { return object{"kind": "col", "scope": "s0", "column": name} }
	var fields []object
	for _, name := range []string{"id", "author_id", "title", "body", "score", "rating", "created_at"} {
		fields = append(fields, object{"as": name, "expr": col(name)})
	}
	value := object{"kind": "lit", "value": object{"type": "int64", "value": strconv.Itoa(key)}}
	nodes := object{
		"n0": object{"kind": "scan", "table": "posts", "scope": "s0"},
		"n1": object{"kind": "filter", "input": "n0", "predicate": object{"kind": "binary", "op": "eq", "left": col("id"), "right": value}},
		"n2": object{"kind": "project", "input": "n1", "fields": fields},
	}
	relation := object{"root": object{"node": "n2", "cardinality": "first"}, "nodes": nodes}
	return object{"statements": []object{{"kind": "query", "name": "p0", "relation": relation}}}
}

type round struct {
	PerSecond float64 `json:"perSecond"`
	CPUMicros float64 `json:"cpuMicros"`
}

type question struct {
	name   string
	rows   int
	client func(key int) (int, error)
	byHand func(key int) (int, error)
}

func main() {
	url, at := os.Args[1], os.Args[2]
	milliseconds, _ := strconv.Atoi(os.Args[3])
	rounds, _ := strconv.Atoi(os.Args[4])
	input, err := os.ReadFile(at)
	check(err)
	var given struct{ Feed, List any }
	check(json.Unmarshal(input, &given))
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	c, err := db.Connect(url, db.WithSchema(db.SchemaOff), db.WithHTTPClient(client))
	check(err)
	ctx := context.Background()
	id := db.NewParam("id", db.Posts.As().ID)
	find := db.Prepare("point", db.Posts.GetExpr(id))
	preparedFeed := db.Prepare[[]madeCard]("feed", feed())

	ask := func(program, result any) error {
		body, err := json.Marshal(program)
		if err != nil {
			return err
		}
		response, err := client.Post(url+"/execute", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", text)
		}
		return json.Unmarshal(text, &struct{ Result any }{result})
	}
	pointByHand := func(key int) (int, error) {
		var row *post
		err := ask(pointProgram(key), &row)
		if row == nil {
			return 0, err
		}
		return 1, err
	}
	feedByHand := func(int) (int, error) {
		var rows []card
		err := ask(given.Feed, &rows)
		return len(rows), err
	}
	one := func(isThere bool, err error) (int, error) {
		if isThere {
			return 1, err
		}
		return 0, err
	}
	questions := []question{
		{"by key, prepared", 1, func(key int) (int, error) {
			found, err := db.Execute(ctx, c, find.With(id.Is(int64(key))))
			return one(found.OK, err)
		}, pointByHand},
		{"by key, ad hoc", 1, func(key int) (int, error) {
			_, ok, err := db.Posts.Get(int64(key)).First(ctx, c)
			return one(ok, err)
		}, pointByHand},
		{"feed, prepared", 20, func(int) (int, error) {
			rows, err := db.Execute(ctx, c, preparedFeed.With())
			return len(rows), err
		}, feedByHand},
		{"feed, ad hoc", 20, func(int) (int, error) {
			rows, err := feed().All(ctx, c)
			return len(rows), err
		}, feedByHand},
		{"500 rows", 500, func(int) (int, error) {
			p := list()
			rows, err := p.OrderBy(p.ID).Limit(500).All(ctx, c)
			return len(rows), err
		}, func(int) (int, error) {
			var rows []post
			err := ask(given.List, &rows)
			return len(rows), err
		}},
	}
	measured := map[string]map[string][]round{}
	for _, q := range questions {
		found := map[string][]round{}
		for i := range rounds + 1 {
			order := []string{"client", "byHand"}
			if i%2 == 1 {
				order = []string{"byHand", "client"}
			}
			for _, name := range order {
				side := q.client
				if name == "byHand" {
					side = q.byHand
				}
				result := run(side, q.rows, time.Duration(milliseconds)*time.Millisecond)
				// The first round opens the connections.
				if i > 0 {
					found[name] = append(found[name], result)
				}
			}
		}
		measured[q.name] = found
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"measured": measured}))
}

func run(ask func(key int) (int, error), rows int, length time.Duration) round {
	var done atomic.Int64
	var all sync.WaitGroup
	began, before := time.Now(), processor()
	for i := range connections {
		all.Add(1)
		go func() {
			defer all.Done()
			for key := i * 100; time.Since(began) < length; key = (key + 13) % keys {
				count, err := ask(key + 1)
				check(err)
				if count != rows {
					check(fmt.Errorf("%d rows instead of %d", count, rows))
				}
				done.Add(1)
			}
		}()
	}
	all.Wait()
	count := float64(done.Load())
	return round{count / time.Since(began).Seconds(), float64((processor() - before).Microseconds()) / count}
}

func processor() time.Duration {
	var used syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
