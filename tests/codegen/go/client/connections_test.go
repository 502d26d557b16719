package db

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Carries out what comes, and hangs up instead of an answer from the second request of a connection on.
func TestWritesAreNotSentAgainByTheTransport(t *testing.T) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "idempotency-key", "X-Other"} {
		var carriedOut, marked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if r.Header.Get(name) == "key" {
				marked.Add(1)
			}
			if carriedOut.Add(1) == 1 {
				_, _ = io.WriteString(w, `{"result":[],"statements":[]}`)
				return
			}
			connection, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				connection.Close()
			}
		}))
		c, err := Connect(server.URL, WithSchema(SchemaOff), WithHeader(name, "key"))
		if err != nil {
			t.Fatal(err)
		}
		p := Posts.As()
		if _, err := p.All(context.Background(), c); err != nil {
			t.Error(err)
		}
		_, err = Posts.Delete(1).Run(RequestHeader(context.Background(), name, "key"), c)
		if !errors.Is(err, ErrOutcomeUnknown) {
			t.Errorf("%s: %v", name, err)
		}
		same(t, carriedOut.Load(), 2)
		same(t, marked.Load(), 2)
		c.Close()
		server.Close()
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("asked")
		_, _ = io.WriteString(w, `{"result":[],"statements":[]}`)
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	c, err := Connect(server.URL, WithSchema(SchemaOff))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var silence *TransportError
	if _, err = Posts.Delete(1).Run(context.Background(), c); !errors.As(err, &silence) || silence.Status != 307 {
		t.Errorf("%v", err)
	}
}

func TestConnectionsAreKeptForAllWhoAsk(t *testing.T) {
	var opened atomic.Int32
	const together = 24
	var meeting sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		// All of them are under way at a time.
		meeting.Done()
		meeting.Wait()
		_, _ = io.WriteString(w, `{"result":[],"statements":[]}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c, err := Connect(server.URL, WithSchema(SchemaOff))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 4 {
		meeting.Add(together)
		var all sync.WaitGroup
		for range together {
			all.Add(1)
			go func() {
				defer all.Done()
				if _, err := Posts.As().All(context.Background(), c); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
	}
	// One that is about to be put back may be missed.
	if opened.Load() > 2*together {
		t.Errorf("%d connections", opened.Load())
	}
}

func TestWhatReachesNoServerIsNotSent(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	dead, _ := url.Parse("http://127.0.0.1:1")
	byProxy := WithHTTPClient(&http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(dead)}})
	for _, where := range []struct {
		url  string
		with Option
	}{{strings.Replace(plain.URL, "http:", "https:", 1), WithSchema(SchemaOff)}, {"http://server.invalid", byProxy}, {"https://server.invalid", byProxy}} {
		c, err := Connect(where.url, WithSchema(SchemaOff), WithRetry(1, 0), where.with)
		if err != nil {
			t.Fatal(err)
		}
		var silence *TransportError
		if _, err = Posts.Delete(1).Run(context.Background(), c); !errors.As(err, &silence) || silence.Phase != PhaseConnect || silence.Sent {
			t.Errorf("%s: %v", where.url, err)
		}
		c.Close()
	}
}

func TestATokenThatNeverComesIsAskedForAgain(t *testing.T) {
	var asked atomic.Int32
	s := staged(t, nil, WithTokenSource(func(ctx context.Context) (string, error) {
		if asked.Add(1) == 1 {
			select {}
		}
		return "t", nil
	}))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := Posts.As().All(ctx, s.client); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := Posts.As().All(context.Background(), s.client); err != nil {
		t.Error(err)
	}
}

func TestKeptAtTheSameTimeIsOne(t *testing.T) {
	var meeting sync.WaitGroup
	const together = 8
	meeting.Add(together)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		meeting.Done()
		meeting.Wait()
		w.Header().Set("Etag", `"1"`)
		_, _ = io.WriteString(w, `[]`)
	}))
	defer server.Close()
	c, err := Connect(server.URL, WithSchema(SchemaOff))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	found := make(chan *[]Post, together)
	for range together {
		go func() {
			kept, err := Cached[[]Post](context.Background(), c, Posts.As())
			if err != nil {
				t.Error(err)
			}
			found <- kept
		}()
	}
	first := <-found
	for range together - 1 {
		if other := <-found; other != first {
			t.Error("two of one")
		}
	}
}

func TestCloseEndsAWatchThatWaits(t *testing.T) {
	c, err := Connect("svc://server", WithSchema(SchemaOff), WithHTTPClient(&http.Client{Transport: answers(`[]`)}))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, err := range Watch[[]Post](context.Background(), c, Posts.As(), time.Hour) {
		count++
		if count == 1 {
			go c.Close()
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "the client is closed") {
			t.Errorf("%v", err)
		}
	}
	same(t, count, 2)
}

type answers string

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

func TestWhatCannotBe(t *testing.T) {
	if _, err := Connect("svc://server", WithHTTPClient(nil)); err == nil {
		t.Error("no client")
	}
	if _, err := Connect("svc://server", WithTimeout(0)); err == nil {
		t.Error("no time")
	}
	s := staged(t, nil)
	p := Posts.As()
	var wrong *BuildError
	for _, q := range []*Query[Post]{p.Limit(-1), p.Offset(-1), p.Limit(-5).Offset(2), p.Offset(3).Limit(-1)} {
		if _, err := q.All(context.Background(), s.client); !errors.As(err, &wrong) {
			t.Errorf("%v", err)
		}
	}
	for _, at := range []time.Time{time.Unix(1<<62, 0), time.Unix(-1<<60, 0), {}} {
		text, err := timeCodec.write(nil, at)
		if at.IsZero() != (err == nil) {
			t.Errorf("%v: %s %v", at, text, err)
		}
	}
	ada := []UserNew{{Handle: "ada"}}
	for _, on := range [][]string{{"bio"}, {}, {"id", "handle"}} {
		if _, err := Users.Upsert(ada, Merge[UserCols]{On: on}).Run(context.Background(), s.client); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", on, err)
		}
	}
	moved := Merge[UserCols]{On: []string{"handle"}, Set: func(current, input UserCols) []Assign {
		return []Assign{current.Handle.SetTo("eve")}
	}}
	if _, err := Users.Upsert(ada, moved).Run(context.Background(), s.client); !errors.As(err, &wrong) {
		t.Error(err)
	}
	for _, err := range Watch[[]Post](context.Background(), s.client, p, 0) {
		if !errors.As(err, &wrong) {
			t.Error(err)
		}
	}
	mixed := []UserNew{{Handle: "ada"}, {ID: Set(int64(1)), Handle: "bob"}}
	if _, err := Users.InsertIgnore(mixed, "handle").Run(context.Background(), s.client); !errors.As(err, &wrong) {
		t.Error(err)
	}
	twice := Posts.Delete(1)
	pr := NewProgram()
	Do(pr, twice)
	if _, err := Run(context.Background(), s.client, pr, Do(pr, twice)); !errors.As(err, &wrong) {
		t.Error(err)
	}
	same(t, len(s.sent), 0)
	// A panic of the application's is one in its own goroutine.
	s = staged(t, nil, WithTokenSource(func(context.Context) (string, error) { panic("mine") }))
	func() {
		defer func() { same(t, recover(), any("mine")) }()
		_, _ = p.All(context.Background(), s.client)
	}()
}

func TestParametersAreToldByThemselves(t *testing.T) {
	s := staged(t, nil)
	p := Posts.As()
	one, other := NewParam("id", p.ID), NewParam("id", p.Score)
	find := Prepare("find", p.Where(p.ID.EqExpr(one), p.Score.EqExpr(other)))
	if _, err := Execute(context.Background(), s.client, find.With(one.Is(1), other.Is(7))); err != nil {
		t.Fatal(err)
	}
	text := s.bodies[0]
	if strings.Count(text, `"value":"1"`) != 1 || strings.Count(text, `"value":"7"`) != 1 {
		t.Error(text)
	}
	var wrong *BuildError
	if _, err := Execute(context.Background(), s.client, find.With(one.Is(1))); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "the parameter id is missing") {
		t.Error(err)
	}
	if _, err := p.Where(p.ID.EqExpr(one)).All(context.Background(), s.client); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "has parameters") {
		t.Error(err)
	}
	same(t, len(s.sent), 1)
}
