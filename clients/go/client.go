package svc

import (
	"bytes"
	"context"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// Client sends operations to a server. Any number of goroutines can use it simultaneously.
type Client struct {
	server *server
	reader *Reader
}

// Reader sends queries to a read-only reader, each on one state that is up to about two seconds old.
type Reader struct{ server *server }

// Runner is a Client or a Reader.
type Runner interface{ at() *server }

func (c *Client) at() *server { return c.server }

func (r *Reader) at() *server { return r.server }

type server struct {
	channel  *channel
	origin   string
	guard    *schemaGuard
	cache    *answerCache
	isReader bool
	// A proxy on the way does not know the method QUERY.
	takesNoQuery atomic.Bool
}

func newClient(g *generated, url string, given []Option) (*Client, error) {
	o := options{
		url: url, timeout: 30 * time.Second, attempts: 6, longestWait: time.Second,
		cacheEntries: 1000, cacheBytes: 16 << 20, headers: http.Header{}, world: world{time.Now, rand.Float64, sleepFor},
	}
	o.http, o.ownsHTTP = defaultClient()
	for _, option := range given {
		option(&o)
	}
	if o.err != nil {
		return nil, o.err
	}
	if o.timeout <= 0 {
		return nil, buildErrorf("WithTimeout wants more than 0, not %s", o.timeout)
	}
	if o.http == nil {
		return nil, buildErrorf("WithHTTPClient wants a client, not nil")
	}
	if o.readerURL == "" {
		o.readerURL = url
	}
	ch := &channel{options: o, exchange: exchangeOver(o.http, o.middleware)}
	ch.closed, ch.close = context.WithCancel(context.Background())
	cache := &answerCache{entriesMax: o.cacheEntries, bytesMax: o.cacheBytes}
	at := func(url string, isReader bool) (*server, error) {
		origin, err := originOf(url)
		s := &server{channel: ch, origin: origin, cache: cache, isReader: isReader}
		s.guard = &schemaGuard{server: s, generated: g}
		s.guard.isFit.Store(o.schema == SchemaOff)
		return s, err
	}
	own, err := at(o.url, false)
	if err != nil {
		return nil, err
	}
	reader, err := at(o.readerURL, true)
	if err != nil {
		return nil, err
	}
	return &Client{own, &Reader{reader}}, nil
}

// Of a client's own: connections for as many requests as run beside each other, and what was sent to one server goes to no other one.
func defaultClient() (client *http.Client, isOwn bool) {
	shared, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultClient, false
	}
	own := shared.Clone()
	own.MaxIdleConnsPerHost = 64
	return &http.Client{
		Transport:     own,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, true
}

func sleepFor(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reader returns the reader at WithReaderURL, or the same server if there is none.
func (c *Client) Reader() *Reader { return c.reader }

// Close aborts the operations in progress. Every later operation returns a TransportError of PhaseAborted.
func (c *Client) Close() {
	c.server.channel.close()
	c.server.cache.clear()
	if c.server.channel.options.ownsHTTP {
		c.server.channel.options.http.CloseIdleConnections()
	}
}

func (s *server) allowed(c *compiled) error {
	if s.isReader && !c.readOnly {
		return buildErrorf("%s: a reader runs queries only", c.name)
	}
	if bytes.IndexByte(c.body, paramMark) >= 0 {
		return buildErrorf("%s has parameters: run what Prepare makes of it, with values", c.name)
	}
	return nil
}

func (s *server) ask(ctx context.Context, c *compiled, a asked) (*Answer, error) {
	if err := s.allowed(c); err != nil {
		return nil, err
	}
	a.name, a.kind, a.readOnly, a.locate, a.before = c.name, c.kind, c.readOnly, c.locate, s.guard.ready
	answer, err := s.channel.request(ctx, a)
	if err != nil {
		if changed := s.guard.review(ctx, err); changed != nil {
			return nil, changed
		}
	}
	return answer, err
}

// The members of the answer to a program.
func (s *server) post(ctx context.Context, c *compiled, parameters string, headers func(token string, to http.Header)) (map[string][]byte, error) {
	var members map[string][]byte
	_, err := s.ask(ctx, c, asked{
		method: "POST", url: s.origin + "/execute" + parameters, body: c.body,
		headers: func(token string, to http.Header) {
			to.Set("Content-Type", "application/json")
			if headers != nil {
				headers(token, to)
			}
		},
		isUsable: func(body []byte) bool {
			found, err := membersOf(body)
			members = found
			return err == nil && found["result"] != nil
		},
	})
	return members, err
}

func decode(c *compiled, text []byte, read func(d *decoder)) error {
	d := &decoder{input: text}
	if c.member == "" {
		read(d)
	} else {
		d.row([]string{c.member}, func(int) { read(d) })
	}
	if d.err == nil && d.peek() != 0 {
		d.fail("the end")
	}
	return d.err
}

// Runnable is a query, a statement or a program whose result has the type T.
type Runnable[T any] interface {
	compile(name string) (*compiled, func(d *decoder, value *T), error)
}

func compileNamed(q *query, name string) (*compiled, error) {
	if name != "" {
		q = q.named(name)
	}
	return compileQuery(q)
}

func (q *Query[R]) compile(name string) (*compiled, func(d *decoder, all *[]R), error) {
	c, err := compileNamed(q.q, name)
	return c, readMany(q.read), err
}

func (q *Maybe[R]) compile(name string) (*compiled, func(d *decoder, row *Null[R]), error) {
	c, err := compileNamed(q.q, name)
	return c, readMaybe(q.read), err
}

func (q *One[R]) compile(name string) (*compiled, func(d *decoder, row *R), error) {
	c, err := compileNamed(q.q, name)
	return c, readOne(q.read), err
}

func compileValue(of *ex) (*compiled, error) {
	c, err := compileQuery(valueQuery(of))
	if err == nil {
		c.member = "value"
	}
	return c, err
}

func (w *Write[T, R]) compile(name string) (*compiled, func(d *decoder, value *T), error) {
	c, err := compileWrite(w.writing, name)
	return c, w.read, err
}

func compileWrite(w *writing, name string) (*compiled, error) {
	if w.err != nil {
		return nil, w.err
	}
	statements, last := w.statements, w.last
	// A statement is called as what it reads; a program of several keeps the names that they have.
	if only, ok := last.(*write); ok && len(statements) == 1 && name != "" {
		named := *only
		named.input = only.input.named(name)
		statements, last = []any{&named}, &named
	}
	return compileProgram(statements, last)
}

type returning[T any] struct {
	program *Program
	result  Part[T]
}

// Returning returns the program with its result: that of a statement, a query over its statements, or Results of several.
func Returning[T any](p *Program, result Part[T]) Runnable[T] {
	return returning[T]{&Program{slices.Clone(p.statements), p.err}, result}
}

func (r returning[T]) compile(string) (*compiled, func(d *decoder, value *T), error) {
	if r.program.err != nil {
		return nil, nil, r.program.err
	}
	p := r.result.part()
	var selected any
	done, isDone := r.result.(interface{ lastStatement() any })
	switch {
	case isDone:
		selected = done.lastStatement()
		p.read = r.result.(interface {
			readStatement(d *decoder, value *T)
		}).readStatement
	case p.nested != nil:
		selected = p.nested
	default:
		selected = p.of
	}
	c, err := compileProgram(r.program.statements, selected)
	return c, p.read, err
}

// Execute runs a query, a statement, or Returning of a program.
func Execute[T any](ctx context.Context, r Runner, what Runnable[T]) (T, error) {
	var value T
	c, read, err := what.compile("")
	if err != nil {
		return value, err
	}
	err = perform(ctx, r, c, func(d *decoder) { read(d, &value) })
	return value, err
}

// Reads the result where there is one.
func perform(ctx context.Context, r Runner, c *compiled, read func(d *decoder)) error {
	members, err := r.at().post(ctx, c, "", nil)
	if err != nil {
		return err
	}
	return decode(c, members["result"], read)
}

func performQuery(ctx context.Context, r Runner, q *query, read func(d *decoder)) error {
	c, err := compileQuery(q)
	if err != nil {
		return err
	}
	return perform(ctx, r, c, read)
}

// Run runs a program. Its result is that of a statement, a query over its statements, or Results of several.
func Run[T any](ctx context.Context, r Runner, p *Program, result Part[T]) (T, error) {
	return Execute(ctx, r, Returning(p, result))
}

// All returns all rows.
func (q *Query[R]) All(ctx context.Context, r Runner) ([]R, error) {
	var all []R
	err := performQuery(ctx, r, q.q, func(d *decoder) { readMany(q.read)(d, &all) })
	return all, err
}

// First returns the first row; false if there are no rows.
func (q *Query[R]) First(ctx context.Context, r Runner) (R, bool, error) {
	return q.Maybe().First(ctx, r)
}

// One returns the only row. It returns ErrCardinality if there are no rows or several.
func (q *Query[R]) One(ctx context.Context, r Runner) (R, error) { return q.Only().Run(ctx, r) }

// Count returns the number of rows.
func (q *Query[R]) Count(ctx context.Context, r Runner) (int64, error) {
	return Execute[int64](ctx, r, q.CountExpr())
}

// First returns the row; false if there is none.
func (q *Maybe[R]) First(ctx context.Context, r Runner) (R, bool, error) {
	var row Null[R]
	err := performQuery(ctx, r, q.q, func(d *decoder) { readMaybe(q.read)(d, &row) })
	return row.V, row.OK, err
}

// Run returns the row.
func (q *One[R]) Run(ctx context.Context, r Runner) (R, error) {
	var row R
	err := performQuery(ctx, r, q.q, func(d *decoder) { readOne(q.read)(d, &row) })
	return row, err
}

// Run executes the statement.
func (w *Write[T, R]) Run(ctx context.Context, r Runner) (T, error) {
	var value T
	c, err := compileWrite(w.writing, "")
	if err == nil {
		err = perform(ctx, r, c, func(d *decoder) { w.read(d, &value) })
	}
	return value, err
}

// Page returns the rows after or before a cursor.
func (q *Query[R]) Page(ctx context.Context, r Runner, options PageOptions) (Page[R], error) {
	rows := []R{}
	page, err := performPage(ctx, r, q.q, options, func(d *decoder) {
		var row R
		q.read(d, &row)
		rows = append(rows, row)
	})
	if err != nil {
		return Page[R]{}, err
	}
	return Page[R]{rowsOfPage(page, rows), page.next, page.previous}, nil
}

// Pages returns all rows in pages of the given size, each page on its own snapshot. It ends with the first error.
func (q *Query[R]) Pages(ctx context.Context, r Runner, size int) iter.Seq2[[]R, error] {
	return func(yield func([]R, error) bool) {
		after := ""
		for {
			page, err := q.Page(ctx, r, PageOptions{Size: size, After: after})
			if err != nil {
				yield(nil, err)
				return
			}
			if len(page.Rows) > 0 && !yield(page.Rows, nil) || page.Next == "" {
				return
			}
			after = page.Next
		}
	}
}

// PlannedStatement is the plan of one statement.
type PlannedStatement struct {
	Name, Text string
	// JSON of a tree whose members change as the planner does.
	View []byte
}

// Plan is the query plan of a program.
type Plan struct{ Statements []PlannedStatement }

func planIn(text []byte) Plan {
	var plan Plan
	members, err := membersOf(text)
	if err != nil {
		return plan
	}
	for _, each := range elementsOf(members["statements"]) {
		inside, err := membersOf(each)
		if err == nil {
			plan.Statements = append(plan.Statements, PlannedStatement{textOf(inside["name"]), textOf(inside["text"]), inside["view"]})
		}
	}
	return plan
}

// Explain returns the query plan without execution.
func Explain[T any](ctx context.Context, r Runner, what Runnable[T]) (Plan, error) {
	c, _, err := what.compile("")
	if err != nil {
		return Plan{}, err
	}
	members, err := r.at().post(ctx, c, "?show-plan=true&dry-run=true", nil)
	return planIn(members["plan"]), err
}

// Check returns the error with which the server would reject the operation, without execution.
func Check[T any](ctx context.Context, r Runner, what Runnable[T]) error {
	c, _, err := what.compile("")
	if err == nil {
		_, err = r.at().post(ctx, c, "?dry-run=true", nil)
	}
	return err
}

// Analysis is a result with its plan and diagnostics.
type Analysis[T any] struct {
	Result T
	Plan   Plan
	// JSON; nil without a level, and when the server refuses it.
	Diagnostics []byte
	// Why the server refuses the level.
	Refused string
}

// Analyze runs the operation, and returns result, plan and diagnostics. The level is "", "summary", "detailed" or "full". If the server refuses the level, the analysis
// contains the reason, and the operation runs without diagnostics.
func Analyze[T any](ctx context.Context, r Runner, what Runnable[T], level string) (Analysis[T], error) {
	var found Analysis[T]
	c, read, err := what.compile("")
	if err != nil {
		return found, err
	}
	members, err := r.at().post(ctx, c, "?show-plan=true", func(_ string, to http.Header) {
		if level != "" {
			to.Set("Svc-Diagnostics", level)
		}
	})
	if problem, ok := err.(*Error); ok && problem.Reason == "diagnostics_rejected" {
		// Refused before anything has run.
		found.Refused = problem.Detail
		members, err = r.at().post(ctx, c, "?show-plan=true", nil)
	}
	if err != nil {
		return found, err
	}
	found.Plan = planIn(members["plan"])
	if inside, err := membersOf(members["_svc"]); err == nil {
		found.Diagnostics = inside["diagnostics"]
	}
	err = decode(c, members["result"], func(d *decoder) { read(d, &found.Result) })
	return found, err
}

// RawStatement is the outcome of a statement of a raw program.
type RawStatement struct {
	Name     string
	Affected int64
}

// RawAnswer is the response to a program that was sent in JSON.
type RawAnswer struct {
	// JSON.
	Result     []byte
	Statements []RawStatement
}

// Raw sends a program in JSON (PIR) unchanged, and returns the response in JSON.
func Raw(ctx context.Context, r Runner, program []byte) (RawAnswer, error) {
	members, err := membersOf(program)
	if err != nil {
		return RawAnswer{}, buildErrorf("the program is no JSON object: %s", err)
	}
	c := &compiled{name: "raw", kind: "program", readOnly: true, body: program}
	for _, each := range elementsOf(members["statements"]) {
		inside, err := membersOf(each)
		c.readOnly = c.readOnly && err == nil && textOf(inside["kind"]) == "query"
	}
	found, err := r.at().post(ctx, c, "", nil)
	if err != nil {
		return RawAnswer{}, err
	}
	answer := RawAnswer{Result: found["result"]}
	for _, each := range elementsOf(found["statements"]) {
		inside, err := membersOf(each)
		if err == nil {
			affected, _ := strconv.ParseInt(string(inside["affected"]), 10, 64)
			answer.Statements = append(answer.Statements, RawStatement{textOf(inside["name"]), affected})
		}
	}
	return answer, nil
}

const (
	// Rows of one program of Copy.
	copyRowsMax = 1000
	// Bytes of one program of Copy; servers take 4 MiB unless they were told otherwise.
	copyBytesMax = 3 << 20
)

// Copy inserts rows by several programs of at most 1,000 rows and 3 MiB each, and returns the number of rows. It is not atomic: if a program fails,
// the rows of earlier programs stay.
func Copy[N, R any](ctx context.Context, r Runner, insert func(rows ...N) *Write[[]R, R], rows iter.Seq[N]) (int, error) {
	count := 0
	var send func(some []N) error
	send = func(some []N) error {
		if len(some) == 0 {
			return nil
		}
		w := insert(some...)
		c, read, err := w.compile("")
		half := len(some) / 2
		isTooLarge := err == nil && len(c.body) > copyBytesMax
		if half > 0 && (isTooLarge || err != nil && w.err == nil) {
			if err := send(some[:half]); err != nil {
				return err
			}
			return send(some[half:])
		}
		if err == nil {
			err = perform(ctx, r, c, func(d *decoder) { read(d, new([]R)) })
		}
		if err == nil {
			count += len(some)
		}
		return err
	}
	var waiting []N
	for row := range rows {
		if waiting = append(waiting, row); len(waiting) < copyRowsMax {
			continue
		}
		if err := send(waiting); err != nil {
			return count, err
		}
		waiting = waiting[:0]
	}
	return count, send(waiting)
}

// Document returns the JSON of the program that the operation sends.
func Document[T any](what Runnable[T]) ([]byte, error) {
	c, _, err := what.compile("")
	if err != nil {
		return nil, err
	}
	return c.body, nil
}

// PageDocument returns the JSON of the program that Page sends.
func PageDocument[R any](of Rows[R], options PageOptions) ([]byte, error) {
	c, _, _, err := compilePage(of.Query().q, options)
	if err != nil {
		return nil, err
	}
	return c.body, nil
}
