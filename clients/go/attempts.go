package svc

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Operation is one attempt, as middleware sees it.
type Operation struct {
	Name string
	// "query", "program", or "schema" for what the client asks about the schema by itself.
	Kind   string
	Method string
	URL    string
	Body   []byte
	// From 1 on.
	Attempt int
	Header  http.Header
}

// Answer is what came back, read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Exchange makes one attempt.
type Exchange func(ctx context.Context, operation *Operation) (*Answer, error)

// Middleware stands around each attempt; it may change what is sent, look at the answer, or answer by itself.
type Middleware func(next Exchange) Exchange

// Tells what the transport gave from what middleware gave.
type sendError struct{ cause error }

func (e *sendError) Error() string { return e.cause.Error() }
func (e *sendError) Unwrap() error { return e.cause }

func exchangeOver(client *http.Client, layers []Middleware) Exchange {
	exchange := Exchange(func(ctx context.Context, operation *Operation) (*Answer, error) {
		request, err := http.NewRequestWithContext(ctx, operation.Method, operation.URL, bytes.NewReader(operation.Body))
		if err != nil {
			return nil, buildErrorf("%s", err)
		}
		request.Header = operation.Header
		keepFromReplay(request.Header)
		reply, err := client.Do(request)
		if err != nil {
			return nil, &sendError{err}
		}
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			return nil, &sendError{err}
		}
		return &Answer{reply.StatusCode, reply.Header, body}, nil
	})
	for i := len(layers) - 1; i >= 0; i-- {
		exchange = layers[i](exchange)
	}
	return exchange
}

// net/http sends a request again by itself, although the server may have carried it out, when it has one of these headers as they are spelled here.
// Servers do not care for the spelling.
func keepFromReplay(header http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, has := header[name]; has {
			delete(header, name)
			header[strings.ToLower(name)] = values
		}
	}
}

// What all operations of a client share.
type channel struct {
	options  options
	exchange Exchange
	tokens   flight[string]
	closed   context.Context
	close    context.CancelFunc
}

// Work that all who ask for it at one time share.
type flight[T any] struct {
	mutex sync.Mutex
	under *landing[T]
}

type landing[T any] struct {
	done  chan struct{}
	value T
	err   error
	// What the work has panicked with: all who wait for it do.
	panicked any
}

func (f *flight[T]) do(ctx context.Context, work func(ctx context.Context) (T, error)) (T, error) {
	f.mutex.Lock()
	under := f.under
	if under == nil {
		under = &landing[T]{done: make(chan struct{})}
		f.under = under
		go func() {
			defer func() {
				under.panicked = recover()
				f.forget(under)
				close(under.done)
			}()
			under.value, under.err = work(context.WithoutCancel(ctx))
		}()
	}
	f.mutex.Unlock()
	select {
	case <-under.done:
		if under.panicked != nil {
			panic(under.panicked)
		}
		return under.value, under.err
	case <-ctx.Done():
		// Whoever comes next asks anew: this may never end.
		f.forget(under)
		var none T
		return none, ctx.Err()
	}
}

func (f *flight[T]) forget(under *landing[T]) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.under == under {
		f.under = nil
	}
}

// What is asked of a server, whatever becomes of it.
type asked struct {
	name, kind, method, url string
	body                    []byte
	// May depend on the token, the empty text without one.
	headers  func(token string, to http.Header)
	readOnly bool
	locate   func(pointer string) string
	// Must be done before anything is sent.
	before func(ctx context.Context) error
	// Whether what was answered with success is what was asked for; something else between may answer too.
	isUsable func(body []byte) bool
}

// What came of one attempt that did not succeed.
type failure struct {
	problem    *Error
	retryAfter time.Duration
	phase      Phase
	message    string
	cause      error
	status     int
}

// How a kind of failure is answered.
type rule struct {
	// Waits are drawn below base · 2ⁿ, n the number of waits before.
	base, least time.Duration
	// How often such a failure of a read, or of a write, is followed by another attempt.
	reads, writes int
	// Whether the server may have carried out what was sent.
	isUnclear bool
}

var (
	raceRule    = &rule{5 * time.Millisecond, 0, math.MaxInt, math.MaxInt, false}
	gateRule    = &rule{200 * time.Millisecond, 100 * time.Millisecond, 0, math.MaxInt, false}
	unsentRule  = &rule{100 * time.Millisecond, 0, math.MaxInt, math.MaxInt, false}
	failedRule  = &rule{5 * time.Millisecond, 0, 1, 0, false}
	brokenRule  = &rule{100 * time.Millisecond, 0, math.MaxInt, 0, true}
	foreignRule = &rule{0, 0, 0, 0, true}
	finalRule   = &rule{0, 0, 0, 0, false}
)

func hasSuffix(text string, suffixes ...string) bool {
	for _, suffix := range suffixes {
		if len(text) >= len(suffix) && text[len(text)-len(suffix):] == suffix {
			return true
		}
	}
	return false
}

func hasPrefix(text string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if len(text) >= len(prefix) && text[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}

func ruleFor(f *failure) *rule {
	if p := f.problem; p != nil {
		switch {
		case p.Status == 409 && p.Code == "conflict":
			if hasSuffix(p.Reason, "_backpressure", "_finalizing") {
				return gateRule
			}
			return raceRule
		case p.Status == 503 && (p.Reason == "overloaded" || p.Reason == "storage_unavailable"):
			return unsentRule
		case p.Status >= 500 && p.Code == "internal" && !hasPrefix(p.Reason, "commit_", "catalog_"):
			return failedRule
		}
		return finalRule
	}
	switch {
	case f.phase == PhaseConnect:
		return unsentRule
	// A gateway between says that it lost the server, or the time for it; other pages mean that the address is wrong.
	case f.phase != PhaseProtocol || f.status >= 502 && f.status <= 504:
		return brokenRule
	case f.status >= 300 && f.status < 500:
		return finalRule
	}
	return foreignRule
}

// How long to wait before the next attempt, after so many waits; chance lies in [0, 1).
func (r *rule) wait(f *failure, waits int, cap time.Duration, chance float64) time.Duration {
	bound := float64(r.base) * math.Pow(2, float64(waits))
	most := max(r.least, time.Duration(min(float64(cap), bound)))
	return f.retryAfter + r.least + time.Duration(chance*float64(most-r.least))
}

// Retry-After is a number of seconds or a date (RFC 9110 §10.2.3).
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// Why the transport gave no answer.
func silenceOf(err error) *failure {
	var dial *net.OpError
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	isUnsent := errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect") || errors.As(err, &dns) ||
		errors.As(err, &certificate) || errors.As(err, &header) || errors.Is(err, http.ErrSchemeMismatch)
	if isUnsent {
		return &failure{phase: PhaseConnect, message: "no connection: " + err.Error(), cause: err}
	}
	return &failure{phase: PhaseResponse, message: "the connection broke off: " + err.Error(), cause: err}
}

func (c *channel) token(ctx context.Context) (string, error) {
	if c.options.token == nil {
		return c.options.fixedToken, nil
	}
	return c.tokens.do(ctx, func(ctx context.Context) (string, error) {
		token, err := c.options.token(ctx)
		return token, checkedToken(token, err)
	})
}

// The answer of status 2xx or 304, or *Error, *TransportError, and whatever token source and middleware give.
func (c *channel) request(ctx context.Context, a asked) (*Answer, error) {
	o := &c.options
	call := callOf(ctx)
	name := a.name
	if call.name != "" && a.kind != "schema" {
		name = call.name
	}
	if call.err != nil {
		return nil, call.err
	}
	deadline := o.world.now().Add(o.timeout)
	if own, ok := ctx.Deadline(); ok && own.Before(deadline) {
		deadline = own
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	defer context.AfterFunc(c.closed, cancel)()

	// Failures that were followed by another attempt, by their rules.
	var repeated []*rule
	attempts := 0
	// The last attempt that may have been carried out although nobody has told so.
	var unclear *failure
	errorFor := func(f *failure) error {
		if f.problem != nil {
			f.problem.Operation, f.problem.Attempts = name, attempts
			if a.locate != nil && f.problem.Location.Pointer != "" {
				f.problem.Step = a.locate(f.problem.Location.Pointer)
			}
			return f.problem
		}
		err := &TransportError{f.phase, f.message, name, attempts, unclear != nil, f.status, f.cause}
		if a.readOnly || unclear == nil || f.phase == PhaseAborted {
			return err
		}
		return &Error{
			Code: "internal", Reason: "commit_outcome_unknown", Detail: "the write may have happened: " + f.message,
			Operation: name, Attempts: attempts, cause: err,
		}
	}
	stopped := func() *failure {
		switch {
		case c.closed.Err() != nil:
			return &failure{phase: PhaseAborted, message: "the client is closed", cause: context.Canceled}
		case ctx.Err() == nil:
			return nil
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return &failure{phase: PhaseTimeout, message: "no answer in time", cause: ctx.Err()}
		}
		return &failure{phase: PhaseAborted, message: "given up", cause: ctx.Err()}
	}
	once := func() (*Answer, *failure, error) {
		token, err := c.token(ctx)
		if err != nil {
			return nil, nil, err
		}
		header := o.headers.Clone()
		a.headers(token, header)
		isConditional := header.Get("If-None-Match") != ""
		for key, values := range call.headers {
			header[key] = values
		}
		if token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		if o.propagate != nil {
			o.propagate(ctx, header)
		}
		attempts++
		answer, err := c.exchange(ctx, &Operation{name, a.kind, a.method, a.url, a.body, attempts, header})
		if err != nil {
			var failed *sendError
			if !errors.As(err, &failed) {
				return nil, nil, err
			}
			if f := stopped(); f != nil {
				return nil, f, nil
			}
			return nil, silenceOf(failed.cause), nil
		}
		// 304 answers a question that has the tag of what is known; where none was asked, something else has answered.
		if answer.Status == 304 && isConditional || answer.Status >= 200 && answer.Status < 300 && a.isUsable(answer.Body) {
			return answer, nil, nil
		}
		if answer.Status >= 300 {
			if problem := problemIn(answer.Body, answer.Status); problem != nil {
				return nil, &failure{problem: problem, retryAfter: retryAfter(answer.Header.Get("Retry-After"), o.world.now())}, nil
			}
		}
		message := "what answered is no svc server (status " + strconv.Itoa(answer.Status) + ")"
		return nil, &failure{phase: PhaseProtocol, message: message, status: answer.Status}, nil
	}

	if f := stopped(); f != nil {
		return nil, errorFor(f)
	}
	if a.before != nil {
		if err := a.before(ctx); err != nil {
			if f := stopped(); f != nil && errors.Is(err, f.cause) {
				return nil, errorFor(f)
			}
			return nil, err
		}
	}
	mayAskForToken := o.token != nil
	for {
		if f := stopped(); f != nil {
			return nil, errorFor(f)
		}
		answer, f, err := once()
		if err != nil {
			if f := stopped(); f != nil && errors.Is(err, f.cause) {
				return nil, errorFor(f)
			}
			return nil, err
		}
		if answer != nil {
			return answer, nil
		}
		if f.problem != nil && f.problem.Reason == "invalid_token" && mayAskForToken {
			mayAskForToken = false
			continue
		}
		r := ruleFor(f)
		if r.isUnclear {
			unclear = f
		}
		count := 0
		for _, each := range repeated {
			if each == r {
				count++
			}
		}
		most := r.writes
		if a.readOnly || call.isIdempotent && r.isUnclear {
			most = r.reads
		}
		delay := r.wait(f, len(repeated), o.longestWait, o.world.random())
		isOver := count >= most || attempts >= o.attempts
		if isOver || stopped() != nil || !o.world.now().Add(delay).Before(deadline) {
			// What the server thinks of this attempt tells nothing of an earlier one, unless the data is what it finds fault with.
			if unclear != nil && !a.readOnly && r != finalRule {
				f = unclear
			}
			return nil, errorFor(f)
		}
		repeated = append(repeated, r)
		if o.world.sleep(ctx, delay) != nil {
			return nil, errorFor(stopped())
		}
	}
}
