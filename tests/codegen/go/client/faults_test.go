package db

import (
	"context"
	"errors"
	"io"
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

func times(count int, r reply) []reply {
	all := make([]reply, count)
	for i := range all {
		all[i] = r
	}
	return all
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
	ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	s := staged(t, times(1, reply{isSilent: true}))
	_, err = Posts.Delete(1).Run(ctx, s.client)
	if len(s.sent) > 0 && (!errors.Is(err, ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded)) {
		t.Errorf("%#v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	s = staged(t, times(1, reply{isSilent: true}))
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
