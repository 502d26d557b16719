package db

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// What becomes of one request: a status with a body and a Retry-After, or an error of the transport.
type reply struct {
	status     int
	body       string
	retryAfter string
	err        error
	// Passes before the reply comes.
	isSilent bool
}

type stage struct {
	client  *Client
	mutex   sync.Mutex
	script  []reply
	sent    []*http.Request
	bodies  []string
	waits   []time.Duration
	now     time.Time
	headers []http.Header
}

func (s *stage) RoundTrip(request *http.Request) (*http.Response, error) {
	body := []byte{}
	if request.Body != nil {
		body, _ = io.ReadAll(request.Body)
	}
	s.mutex.Lock()
	s.sent = append(s.sent, request)
	s.bodies = append(s.bodies, string(body))
	next := reply{status: 200, body: `{"result":[],"statements":[]}`}
	if len(s.script) > 0 {
		next, s.script = s.script[0], s.script[1:]
	}
	s.mutex.Unlock()
	if next.isSilent {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	if next.err != nil {
		return nil, next.err
	}
	header := http.Header{}
	if next.retryAfter != "" {
		header.Set("Retry-After", next.retryAfter)
	}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(strings.NewReader(next.body))}, nil
}

func staged(t *testing.T, script []reply, options ...Option) *stage {
	t.Helper()
	s := &stage{script: script, now: time.Now()}
	own := []Option{WithHTTPClient(&http.Client{Transport: s}), WithSchema(SchemaOff), func(o *options_) {
		o.world = world{
			now:    func() time.Time { return s.now },
			random: func() float64 { return 0.5 },
			sleep: func(ctx context.Context, delay time.Duration) error {
				s.waits = append(s.waits, delay)
				s.now = s.now.Add(delay)
				return ctx.Err()
			},
		}
	}}
	c, err := Connect("svc://server", append(own, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	s.client = c
	return s
}

type options_ = options

func problem(status int, code, reason string) reply {
	return reply{status: status, body: `{"type":"urn:x","title":"T","code":"` + code + `","reason":"` + reason + `","detail":"D","status":` + strconv.Itoa(status) + `}`}
}

func retried(r reply, after string) reply {
	r.retryAfter = after
	return r
}

var (
	refused = reply{err: &net.OpError{Op: "dial", Err: errors.New("connection refused")}}
	unknown = reply{err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host"}}}
	broken  = reply{err: &net.OpError{Op: "read", Err: errors.New("connection reset")}}
)

func times(count int, r reply) []reply {
	all := make([]reply, count)
	for i := range all {
		all[i] = r
	}
	return all
}

func TestFaults(t *testing.T) {
	ms := time.Millisecond
	conflict := problem(409, "conflict", "serializable_conflict")
	cases := []struct {
		name     string
		script   []reply
		isWrite  bool
		call     func(ctx context.Context) context.Context
		requests int
		waits    []time.Duration
		class    error // nil: it succeeds
		phase    Phase
	}{
		{name: "served", requests: 1},
		{name: "conflict of a read", script: times(2, conflict), requests: 3, waits: []time.Duration{2500 * time.Microsecond, 5 * ms}},
		{name: "conflict of a write", script: times(2, conflict), isWrite: true, requests: 3, waits: []time.Duration{2500 * time.Microsecond, 5 * ms}},
		{name: "conflict for ever", script: times(9, conflict), requests: 6, class: ErrConflict},
		{name: "backpressure of a write", script: times(1, problem(409, "conflict", "migration_backpressure")), isWrite: true, requests: 2, waits: []time.Duration{150 * ms}},
		{name: "finalizing of a write", script: times(1, problem(409, "conflict", "migration_finalizing")), isWrite: true, requests: 2, waits: []time.Duration{150 * ms}},
		{name: "overloaded read", script: times(1, problem(503, "internal", "overloaded")), requests: 2, waits: []time.Duration{50 * ms}},
		{name: "overloaded write waits as long as it is asked to", script: times(1, retried(problem(503, "internal", "overloaded"), "2")), isWrite: true, requests: 2, waits: []time.Duration{2050 * ms}},
		{name: "overloaded for ever", script: times(9, problem(503, "internal", "overloaded")), requests: 6, class: ErrOverloaded},
		{name: "storage that is away", script: times(1, problem(503, "internal", "storage_unavailable")), isWrite: true, requests: 2, waits: []time.Duration{50 * ms}},
		{name: "internal of a read", script: times(1, problem(500, "internal", "internal")), requests: 2, waits: []time.Duration{2500 * time.Microsecond}},
		{name: "internal of a read, twice", script: times(2, problem(500, "internal", "internal")), requests: 2, class: ErrInternal},
		{name: "internal of a write", script: times(1, problem(500, "internal", "internal")), isWrite: true, requests: 1, class: ErrInternal},
		{name: "commit outcome unknown", script: times(1, problem(500, "internal", "commit_outcome_unknown")), isWrite: true, requests: 1, class: ErrOutcomeUnknown},
		{name: "commit outcome unknown, idempotent", script: times(1, problem(500, "internal", "commit_outcome_unknown")), isWrite: true, call: Idempotent, requests: 1, class: ErrOutcomeUnknown},
		{name: "refused read", script: times(1, refused), requests: 2, waits: []time.Duration{50 * ms}},
		{name: "refused write", script: times(2, refused), isWrite: true, requests: 3, waits: []time.Duration{50 * ms, 100 * ms}},
		{name: "no such host", script: times(1, unknown), isWrite: true, requests: 2, waits: []time.Duration{50 * ms}},
		{name: "refused for ever", script: times(9, refused), requests: 6, phase: PhaseConnect},
		{name: "broken read", script: times(1, broken), requests: 2, waits: []time.Duration{50 * ms}},
		{name: "broken write", script: times(1, broken), isWrite: true, requests: 1, class: ErrOutcomeUnknown},
		{name: "broken write, idempotent", script: times(1, broken), isWrite: true, call: Idempotent, requests: 2, waits: []time.Duration{50 * ms}},
		{name: "broken for ever", script: times(9, broken), requests: 6, phase: PhaseResponse},
		{name: "gateway of a read", script: times(1, reply{status: 502, body: "<html>"}), requests: 2, waits: []time.Duration{50 * ms}},
		{name: "gateway of a write", script: times(1, reply{status: 504, body: "<html>"}), isWrite: true, requests: 1, class: ErrOutcomeUnknown},
		{name: "something else answers a read", script: times(1, reply{status: 200, body: "<html>"}), requests: 1, phase: PhaseProtocol},
		{name: "something else answers a write", script: times(1, reply{status: 200, body: "{}"}), isWrite: true, requests: 1, class: ErrOutcomeUnknown},
		{name: "something else has no such page", script: times(1, reply{status: 404, body: "no"}), isWrite: true, requests: 1, phase: PhaseProtocol},
		{name: "invalid", script: times(1, problem(400, "invalid", "unknown_function")), requests: 1, class: ErrInvalid},
		{name: "constraint", script: times(1, problem(400, "invalid", "constraint_violation")), isWrite: true, requests: 1, class: ErrConstraint},
		{name: "read only", script: times(1, problem(400, "invalid", "read_only")), isWrite: true, requests: 1, class: ErrReadOnly},
		{name: "limit", script: times(1, problem(422, "execution_failed", "memory_limit")), requests: 1, class: ErrLimit},
		{name: "target", script: times(1, problem(422, "execution_failed", "mutation_target_not_found")), isWrite: true, requests: 1, class: ErrTargetNotFound},
		{name: "not found", script: times(1, problem(404, "not_found", "x")), requests: 1, class: ErrNotFound},
		{name: "token", script: times(1, problem(401, "unauthenticated", "invalid_token")), requests: 1, class: ErrAuth},
		{name: "scope", script: times(1, problem(403, "forbidden", "scope")), requests: 1, class: ErrAuth},
		{name: "unknown reason of a known code", script: times(1, problem(422, "execution_failed", "new")), requests: 1, class: ErrExecution},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := staged(t, c.script)
			ctx := context.Background()
			if c.call != nil {
				ctx = c.call(ctx)
			}
			p := Posts.As()
			var err error
			if c.isWrite {
				_, err = p.DeleteWhere(p.ID.Eq(1)).Run(ctx, s.client)
			} else {
				_, err = p.All(ctx, s.client)
			}
			same(t, len(s.sent), c.requests)
			if c.waits != nil {
				same(t, s.waits, c.waits)
			}
			var silence *TransportError
			switch {
			case c.phase != "":
				if !errors.As(err, &silence) || silence.Phase != c.phase || silence.Attempts != c.requests {
					t.Errorf("%#v", err)
				}
			case c.class == nil:
				same(t, err, nil)
			case !errors.Is(err, c.class):
				t.Errorf("%#v", err)
			}
			for _, body := range s.bodies {
				same(t, body, s.bodies[0])
			}
		})
	}
}

func TestDeadlineAndCancellation(t *testing.T) {
	p := Posts.As()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	var silence *TransportError
	_, err := p.All(ctx, staged(t, times(1, reply{isSilent: true})).client)
	if !errors.As(err, &silence) || silence.Phase != PhaseTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%#v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	s := staged(t, times(1, reply{isSilent: true}))
	go func() {
		for {
			s.mutex.Lock()
			isSent := len(s.sent) > 0
			s.mutex.Unlock()
			if isSent {
				cancel()
				return
			}
		}
	}()
	_, err = Posts.Delete(1).Run(ctx, s.client)
	if !errors.As(err, &silence) || silence.Phase != PhaseAborted || !silence.Sent || !errors.Is(err, context.Canceled) {
		t.Errorf("%#v", err)
	}
	s = staged(t, times(9, retried(problem(503, "internal", "overloaded"), "40")))
	if _, err = p.All(context.Background(), s.client); !errors.Is(err, ErrOverloaded) {
		t.Error(err)
	}
	same(t, len(s.sent), 1) // Forty seconds pass the deadline.
	s = staged(t, nil)
	s.client.Close()
	if _, err = p.All(context.Background(), s.client); !errors.As(err, &silence) || silence.Phase != PhaseAborted || silence.Sent {
		t.Errorf("%#v", err)
	}
	same(t, len(s.sent), 0)
}

func TestTokensHeadersAndMiddleware(t *testing.T) {
	asked := 0
	var seen []string
	s := staged(t, times(1, problem(401, "unauthenticated", "invalid_token")),
		WithTokenSource(func(context.Context) (string, error) {
			asked++
			return "t" + strconv.Itoa(asked), nil
		}),
		WithHeader("X-App", "shop"),
		WithPropagator(func(_ context.Context, headers http.Header) { headers.Set("Traceparent", "00-1") }),
		WithMiddleware(func(next Exchange) Exchange {
			return func(ctx context.Context, operation *Operation) (*Answer, error) {
				seen = append(seen, operation.Name+" "+operation.Kind+" "+strconv.Itoa(operation.Attempt))
				return next(ctx, operation)
			}
		}))
	ctx := RequestHeader(OperationName(context.Background(), "list"), "X-Call", "1")
	p := Posts.As()
	if _, err := p.All(ctx, s.client); err != nil {
		t.Fatal(err)
	}
	same(t, seen, []string{"list query 1", "list query 2"})
	same(t, s.sent[0].Header.Get("Authorization"), "Bearer t1")
	same(t, s.sent[1].Header.Get("Authorization"), "Bearer t2")
	for _, name := range []string{"X-App", "X-Call", "Traceparent"} {
		if s.sent[1].Header.Get(name) == "" {
			t.Error(name)
		}
	}
	same(t, s.sent[0].URL.String(), "http://server:7237/execute")
	s = staged(t, times(9, problem(401, "unauthenticated", "invalid_token")), WithTokenSource(func(context.Context) (string, error) { return "x", nil }))
	if _, err := p.All(context.Background(), s.client); !errors.Is(err, ErrAuth) || len(s.sent) != 2 {
		t.Error(err, len(s.sent))
	}
	own := errors.New("no token today")
	s = staged(t, nil, WithTokenSource(func(context.Context) (string, error) { return "", own }))
	if _, err := p.All(context.Background(), s.client); !errors.Is(err, own) || len(s.sent) != 0 {
		t.Error(err)
	}
}

func TestProxyThatRefusesQuery(t *testing.T) {
	s := staged(t, []reply{{status: 405, body: "no"}})
	p := Posts.As()
	for range 2 {
		if _, err := Cached[[]Post](context.Background(), s.client, p); err != nil {
			t.Fatal(err)
		}
	}
	methods := ""
	for _, request := range s.sent {
		methods += request.Method + " "
	}
	same(t, methods, "QUERY POST POST ")
}

func TestWhatCannotBeIsRefusedBeforeItIsSent(t *testing.T) {
	s := staged(t, nil)
	p, u, m := Posts.As(), Users.As(), Comments.As()
	ctx := context.Background()
	none := func(_ any, err error) error { return err }
	zero := 0.0
	broken := func(build func() error) {
		t.Helper()
		var wrong *BuildError
		if err := build(); !errors.As(err, &wrong) {
			t.Errorf("%v", err)
		}
	}
	broken(func() error { return none(p.Where(p.Rating.Eq(zero/zero)).All(ctx, s.client)) })
	broken(func() error { return none(p.Where(p.Title.Eq("\xff")).All(ctx, s.client)) })
	broken(func() error { return none(p.Where(u.ID.Eq(1)).All(ctx, s.client)) })
	broken(func() error { return none(Posts.Update(1).Run(ctx, s.client)) })
	broken(func() error { return none(Posts.Update(1, u.Handle.SetTo("x")).Run(ctx, s.client)) })
	broken(func() error { return none(Posts.Update(1, Put(p.ID, p.Score)).Run(ctx, s.client)) })
	broken(func() error { return none(p.Limit(-2).All(ctx, s.client)) })
	broken(func() error { return none(p.Named("ensure_x").All(ctx, s.client)) })
	broken(func() error { return none(p.Where(p.Score.Gt(1)).Named("a b").All(ctx, s.client)) })
	broken(func() error { return none(Select[Post](p).All(ctx, s.client)) })
	broken(func() error {
		id := func(r *Post) *int64 { return &r.ID }
		return none(Select(Join(p, p, p.ID.EqExpr(p.ID)), Into("id", p.ID, id)).All(ctx, s.client))
	})
	broken(func() error { return none(p.Where(Count().Gt(1)).All(ctx, s.client)) })
	broken(func() error {
		return none(Counters.Upsert([]CounterNew{{"a", 1}, {"a", 2}}).Run(ctx, s.client))
	})
	broken(func() error { return none(Counters.Upsert(nil).Run(ctx, s.client)) })
	broken(func() error {
		pr := NewProgram()
		Do(pr, Posts.Delete(1))
		pr.Ensure("not a name", p)
		return none(Run[int64](ctx, s.client, pr, p.CountExpr()))
	})
	broken(func() error {
		other := Do(NewProgram(), Posts.Delete(1))
		return none(Run[Null[Post]](ctx, s.client, NewProgram(), other))
	})
	broken(func() error { return none(m.Page(ctx, s.client, PageOptions{})) })
	broken(func() error { return none(Connect("svc://user@host")) })
	broken(func() error { return none(Connect("svc://host", WithToken("a b"))) })
	broken(func() error { return none(Connect("svc://host", WithHeader("a b", "c"))) })
	broken(func() error { _, err := ParseUUID("x"); return err })
	same(t, len(s.sent), 0)
}
