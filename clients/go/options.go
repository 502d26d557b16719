package svc

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Option configures the client that Connect returns.
type Option func(o *options)

type options struct {
	url, readerURL string
	http           *http.Client
	// Nobody else has the connections of it.
	ownsHTTP     bool
	fixedToken   string
	token        func(ctx context.Context) (string, error)
	timeout      time.Duration
	attempts     int
	longestWait  time.Duration
	schema       SchemaMode
	onDrift      func(SchemaDrift)
	cacheEntries int
	cacheBytes   int
	headers      http.Header
	middleware   []Middleware
	propagate    func(ctx context.Context, headers http.Header)
	world        world
	err          error
}

// Time and chance as the client uses them; tests give their own.
type world struct {
	now    func() time.Time
	random func() float64
	// Waits, or gives the context's error.
	sleep func(ctx context.Context, delay time.Duration) error
}

// SchemaMode is the behavior if the server has another schema.
type SchemaMode int

const (
	// SchemaVerify refuses another schema unless all that the client knows is there.
	SchemaVerify SchemaMode = iota
	// SchemaExact refuses another schema.
	SchemaExact
	// SchemaOff asks nothing.
	SchemaOff
)

// SchemaDrift is the schema of the server, if it differs from that of the client but is compatible.
type SchemaDrift struct {
	Version int64
	Hash    string
}

// WithHTTPClient sends requests by this client instead of one that keeps up to 64 connections and follows no redirects.
func WithHTTPClient(client *http.Client) Option {
	return func(o *options) { o.http, o.ownsHTTP = client, false }
}

// WithToken sends a bearer token.
func WithToken(token string) Option {
	return func(o *options) {
		o.fixedToken = token
		o.err = checkedToken(token, o.err)
	}
}

// WithTokenSource calls a function for a bearer token before each request, once for all waiting requests, and once more if the server refuses the token.
func WithTokenSource(source func(ctx context.Context) (string, error)) Option {
	return func(o *options) { o.token = source }
}

// WithTimeout limits the time of an operation with all its attempts (default 30 s). The deadline of the context applies too.
func WithTimeout(timeout time.Duration) Option { return func(o *options) { o.timeout = timeout } }

// WithRetry sets the maximum number of requests for one operation (default 6), and the longest delay before a retry (default 1 s), unless the server requests a longer one.
func WithRetry(attempts int, longestWait time.Duration) Option {
	return func(o *options) { o.attempts, o.longestWait = attempts, longestWait }
}

// WithSchema sets the behavior if the server has another schema (default SchemaVerify).
func WithSchema(mode SchemaMode) Option { return func(o *options) { o.schema = mode } }

// WithSchemaDrift calls a function once for each schema of the server that differs but is compatible.
func WithSchemaDrift(hear func(SchemaDrift)) Option { return func(o *options) { o.onDrift = hear } }

// WithCache limits the results that Cached stores (default 1,000 entries and 16 MiB).
func WithCache(entries, bytes int) Option {
	return func(o *options) { o.cacheEntries, o.cacheBytes = entries, bytes }
}

// WithHeader sends a header with every request.
func WithHeader(name, value string) Option {
	return func(o *options) {
		o.err = checkedHeader(name, value, o.err)
		o.headers.Set(name, value)
	}
}

// WithReaderURL sets the address of a read-only reader, for Reader.
func WithReaderURL(url string) Option { return func(o *options) { o.readerURL = url } }

// WithMiddleware wraps each attempt; the first middleware is the outermost.
func WithMiddleware(layers ...Middleware) Option {
	return func(o *options) { o.middleware = append(o.middleware, layers...) }
}

// WithPropagator adds the trace of the context to the headers of each request, such as traceparent.
func WithPropagator(propagate func(ctx context.Context, headers http.Header)) Option {
	return func(o *options) { o.propagate = propagate }
}

type callKey struct{}

type callOptions struct {
	name         string
	isIdempotent bool
	headers      http.Header
	err          error
}

func callOf(ctx context.Context) callOptions {
	call, _ := ctx.Value(callKey{}).(callOptions)
	return call
}

// OperationName sets the name of the operations with the context, in errors and middleware.
func OperationName(ctx context.Context, name string) context.Context {
	call := callOf(ctx)
	call.name = name
	return context.WithValue(ctx, callKey{}, call)
}

// Idempotent permits the client to repeat writes whose outcome is unknown.
func Idempotent(ctx context.Context) context.Context {
	call := callOf(ctx)
	call.isIdempotent = true
	return context.WithValue(ctx, callKey{}, call)
}

// RequestHeader sends a header with the operations of the context.
func RequestHeader(ctx context.Context, name, value string) context.Context {
	call := callOf(ctx)
	call.err = checkedHeader(name, value, call.err)
	call.headers = call.headers.Clone()
	if call.headers == nil {
		call.headers = http.Header{}
	}
	call.headers.Set(name, value)
	return context.WithValue(ctx, callKey{}, call)
}

var headerName = regexp.MustCompile("^[\\w!#$%&'*+.^`|~-]+$")

// Messages hold no value.
func checkedHeader(name, value string, before error) error {
	isBad := !headerName.MatchString(name)
	for _, c := range []byte(value) {
		isBad = isBad || c < 0x20 && c != '\t' || c == 0x7f
	}
	if before == nil && isBad {
		return buildErrorf("header %q has a character that HTTP does not allow", name)
	}
	return before
}

func checkedToken(token string, before error) error {
	isBad := token == ""
	for _, c := range []byte(token) {
		isBad = isBad || c < 0x21 || c > 0x7e
	}
	if before == nil && isBad {
		return buildErrorf("the token is empty, or has a character that HTTP does not allow: trim it")
	}
	return before
}

var addressPattern = regexp.MustCompile(`(?i)^(svcs?|https?)://(\[[\da-f:.]+\]|[^/?#@:\[\]\s]+)(:\d{1,5})?((?:/[^?#\s]*)?)$`)

// svc(s)://host[:port] and http(s)://host[:port][/path] as the start of URLs; port 7237 where svc(s) has none.
func originOf(url string) (string, error) {
	found := addressPattern.FindStringSubmatch(url)
	if found == nil {
		return "", buildErrorf("%q is no server address: write svc://host[:port], without user and query", url)
	}
	scheme, port := strings.ToLower(found[1]), found[3]
	if port == "" && strings.HasPrefix(scheme, "svc") {
		port = ":7237"
	}
	scheme = map[string]string{"svc": "http", "svcs": "https", "http": "http", "https": "https"}[scheme]
	return scheme + "://" + found[2] + port + strings.TrimRight(found[4], "/"), nil
}
