package db

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fault of the corpus of all clients; the grammar is in the README beside it.
type fault struct {
	Of, What  string
	Script    []string
	Tokens    []string
	Attempts  int
	CapMs     int `json:"cap_ms"`
	TimeoutMs int `json:"timeout_ms"`
	Error     string
	Having    map[string]any
	Requests  int
	Commits   int64
	WaitsMs   []float64 `json:"waits_ms"`
}

type scriptedAnswer struct {
	Status     int
	RetryAfter string `json:"retry_after"`
	Text       string
	Problem    map[string]any
}

type faultCorpus struct {
	Answers map[string]scriptedAnswer
	Faults  []fault
}

var classOf = map[string]error{
	"AuthError": ErrAuth, "CardinalityError": ErrCardinality, "ConflictError": ErrConflict, "ConstraintError": ErrConstraint,
	"EnsureError": ErrEnsure, "ExecutionError": ErrExecution, "InternalError": ErrInternal, "InvalidError": ErrInvalid,
	"LimitError": ErrLimit, "NotFoundError": ErrNotFound, "OutcomeUnknownError": ErrOutcomeUnknown, "OverloadedError": ErrOverloaded,
	"ReadOnlyError": ErrReadOnly, "SchemaMismatchError": ErrSchema, "TargetNotFoundError": ErrTargetNotFound,
}

// A context that ends when the script says so.
type lapsing struct {
	context.Context
	deadline time.Time
	mutex    sync.Mutex
	done     chan struct{}
	err      error
}

func (l *lapsing) Deadline() (time.Time, bool) { return l.deadline, true }
func (l *lapsing) Done() <-chan struct{}       { return l.done }
func (l *lapsing) Err() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.err
}
func (l *lapsing) lapse() {
	l.mutex.Lock()
	l.err = context.DeadlineExceeded
	l.mutex.Unlock()
	close(l.done)
}

// A network of names; behind the end of the script stands the server.
type network struct {
	corpus  *faultCorpus
	script  []string
	now     time.Time
	context *lapsing
	sentAt  []time.Time
	bodies  []string
}

func (n *network) serve(request *http.Request) (*http.Response, error) {
	own := request.Clone(context.Background())
	own.URL.Host = strings.TrimPrefix(os.Getenv("SVC_TEST_URL"), "http://")
	own.Host = own.URL.Host
	own.Body = io.NopCloser(strings.NewReader(n.bodies[len(n.bodies)-1]))
	return http.DefaultTransport.RoundTrip(own)
}

func (n *network) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	n.sentAt = append(n.sentAt, n.now)
	n.bodies = append(n.bodies, string(body))
	name := "served"
	if len(n.script) > 0 {
		name, n.script = n.script[0], n.script[1:]
	}
	switch name {
	case "served":
		return n.serve(request)
	case "lost":
		reply, err := n.serve(request)
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		if _, err := io.ReadAll(reply.Body); err != nil {
			return nil, err
		}
		return nil, &net.OpError{Op: "read", Err: errors.New("connection reset")}
	case "refused":
		return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	case "unresolved":
		return nil, &net.DNSError{Err: "no such host"}
	case "broken":
		return nil, &net.OpError{Op: "read", Err: errors.New("connection reset")}
	case "silent":
		n.context.lapse()
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	told, isThere := n.corpus.Answers[name]
	if !isThere {
		return nil, errors.New("no such step: " + name)
	}
	text := told.Text
	if told.Problem != nil {
		problem := map[string]any{"detail": "why", "status": told.Status}
		for member, value := range told.Problem {
			problem[member] = value
		}
		written, err := json.Marshal(problem)
		if err != nil {
			return nil, err
		}
		text = string(written)
	}
	header := http.Header{}
	if told.RetryAfter != "" {
		header.Set("Retry-After", told.RetryAfter)
	}
	return &http.Response{StatusCode: told.Status, Header: header, Body: io.NopCloser(strings.NewReader(text))}, nil
}

func (n *network) client(t *testing.T, f *fault) *Client {
	t.Helper()
	options := []Option{
		WithHTTPClient(&http.Client{Transport: n}), WithSchema(SchemaOff),
		func(o *options_) {
			if f.Attempts > 0 {
				o.attempts = f.Attempts
			}
			if f.CapMs > 0 {
				o.longestWait = time.Duration(f.CapMs) * time.Millisecond
			}
			o.world = world{
				now:    func() time.Time { return n.now },
				random: func() float64 { return 0.5 },
				sleep: func(ctx context.Context, delay time.Duration) error {
					n.now = n.now.Add(delay)
					return ctx.Err()
				},
			}
		},
	}
	left := f.Tokens
	switch len(left) {
	case 0:
	case 1:
		options = append(options, WithToken(left[0]))
	default:
		options = append(options, WithTokenSource(func(context.Context) (string, error) {
			token := left[0]
			left = left[1:]
			return token, nil
		}))
	}
	c, err := Connect("svc://server", options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What an error tells, by the names of the corpus.
func toldBy(err error) map[string]any {
	var silence *TransportError
	var problem *Error
	switch {
	case errors.As(err, &problem):
		return map[string]any{
			"status": float64(problem.Status), "code": problem.Code, "reason": problem.Reason, "incident": problem.Incident,
			"table": problem.Execution.Table, "operation": problem.Operation, "attempts": problem.Attempts,
		}
	case errors.As(err, &silence):
		return map[string]any{
			"status": float64(silence.Status), "phase": string(silence.Phase), "sent": silence.Sent,
			"operation": silence.Operation, "attempts": silence.Attempts,
		}
	}
	return nil
}

func isOf(err error, class string) bool {
	var problem *Error
	switch {
	case class == "":
		return err == nil
	case class == "TransportError":
		_, isSilence := err.(*TransportError)
		return isSilence
	case !errors.As(err, &problem):
		return false
	case class == "SvcError":
		return len(problem.classes()) == 0
	}
	classes := problem.classes()
	return len(classes) > 0 && classes[0] == classOf[class]
}

func TestEachFault(t *testing.T) {
	text, err := os.ReadFile("faults.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus faultCorpus
	if err := json.Unmarshal(text, &corpus); err != nil {
		t.Fatal(err)
	}
	ctx, counting := live(t)
	a := Accounts.As()
	for _, f := range corpus.Faults {
		t.Run(f.Of+": "+f.What, func(t *testing.T) {
			must[[]Account](t)(a.DeleteWhere(BoolOf(true)).Run(ctx, counting))
			n := &network{corpus: &corpus, script: f.Script, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			timeout := 30 * time.Second
			if f.TimeoutMs > 0 {
				timeout = time.Duration(f.TimeoutMs) * time.Millisecond
			}
			n.context = &lapsing{Context: context.Background(), deadline: n.now.Add(timeout), done: make(chan struct{})}
			call := OperationName(n.context, "asked")
			if f.Of == "idempotent write" {
				call = Idempotent(call)
			}
			c := n.client(t, &f)
			defer c.Close()
			var err error
			if f.Of == "read" {
				var found []Account
				found, err = a.All(call, c)
				same(t, len(found), 0)
			} else {
				var made Account
				made, err = Accounts.Insert(AccountNew{ID: 1, Balance: 5}).Run(call, c)
				if err == nil {
					same(t, made, Account{ID: 1, Balance: 5})
				}
			}
			if !isOf(err, f.Error) {
				t.Errorf("got %T %v, want %q", err, err, f.Error)
			}
			if err != nil {
				told := toldBy(err)
				same(t, told["operation"], "asked")
				same(t, told["attempts"], any(f.Requests))
				for member, wanted := range f.Having {
					if wanted == "WRITTEN" {
						wanted = "accounts"
					}
					if told[member] != wanted {
						t.Errorf("%s: got %#v, want %#v", member, told[member], wanted)
					}
				}
			}
			same(t, len(n.sentAt), f.Requests)
			for _, body := range n.bodies {
				same(t, body, n.bodies[0])
			}
			if f.WaitsMs != nil {
				waits := []float64{}
				for i, at := range n.sentAt[1:] {
					waits = append(waits, float64(at.Sub(n.sentAt[i]).Microseconds())/1000)
				}
				if !reflect.DeepEqual(waits, f.WaitsMs) {
					t.Errorf("waits: got %v, want %v", waits, f.WaitsMs)
				}
			}
			same(t, must[int64](t)(a.Count(ctx, counting)), f.Commits)
		})
	}
}
