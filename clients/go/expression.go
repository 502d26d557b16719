package svc

import (
	"fmt"
	"strings"
)

// BuildError tells what of a query, a statement or an option cannot be, before anything is sent.
type BuildError struct{ Message string }

func (e *BuildError) Error() string { return "svc: " + e.Message }

func buildErrorf(format string, parts ...any) *BuildError {
	return &BuildError{Message: fmt.Sprintf(format, parts...)}
}

// Types of the wire.
const (
	textType  = "text"
	intType   = "int64"
	floatType = "float64"
	boolType  = "bool"
	bytesType = "bytes"
)

// An expression: op is a kind of LIR, or one that becomes others when it is written.
type ex struct {
	op       string
	name     string // operator, function, column, parameter
	args     []*ex
	typ      string
	nullable bool
	format   string // of bytes that are identifiers
	text     string // JSON of a literal's value
	isNull   bool
	label    string // scope of a column in a document
	of       *source
	query    *query
	parts    []matchPart
	isFolded bool
	err      error
}

// Rows that columns belong to, until a document gives them a label.
type source struct{ handles []*ex }

type matchPart struct {
	isAny bool
	text  string
}

func badEx(typ string, err error) *ex { return &ex{op: "bad", typ: typ, err: err} }

func nullEx(typ string) *ex { return &ex{op: "lit", typ: typ, isNull: true, nullable: true} }

func boolEx(value bool) *ex {
	text := "false"
	if value {
		text = "true"
	}
	return &ex{op: "lit", typ: boolType, text: text}
}

func binaryEx(op string, left, right *ex, typ string) *ex {
	return &ex{op: "binary", name: op, args: []*ex{left, right}, typ: typ, nullable: left.nullable || right.nullable}
}

func compareEx(op string, left, right *ex) *ex { return binaryEx(op, left, right, boolType) }

func testEx(op string, of *ex) *ex {
	return &ex{op: "unary", name: op, args: []*ex{of}, typ: boolType}
}

func notEx(of *ex) *ex {
	return &ex{op: "unary", name: "not", args: []*ex{of}, typ: boolType, nullable: of.nullable}
}

func allOf(parts []*ex) *ex {
	left := parts[0]
	for _, right := range parts[1:] {
		left = compareEx("and", left, right)
	}
	return left
}

// Equal, or both NULL.
func sameEx(left, right *ex) *ex {
	equal := compareEx("eq", left, right)
	if !left.nullable && !right.nullable {
		return equal
	}
	both := compareEx("and", testEx("is_null", left), testEx("is_null", right))
	certain := &ex{op: "coalesce", args: []*ex{equal, boolEx(false)}, typ: boolType}
	return &ex{op: "binary", name: "or", args: []*ex{certain, both}, typ: boolType}
}

func orElseEx(first, last *ex) *ex {
	return &ex{op: "coalesce", args: []*ex{first, last}, typ: first.typ, format: first.format, nullable: last.nullable}
}

func inEx(value *ex, values []*ex) *ex {
	return &ex{op: "in", args: append([]*ex{value}, values...), typ: boolType}
}

func matchEx(value *ex, before bool, text string, after, isFolded bool) *ex {
	var parts []matchPart
	switch {
	case text != "":
		if before {
			parts = append(parts, matchPart{isAny: true})
		}
		parts = append(parts, matchPart{text: text})
		if after {
			parts = append(parts, matchPart{isAny: true})
		}
	case before || after: // A pattern has no empty literal.
		parts = []matchPart{{isAny: true}}
	}
	return &ex{op: "text_match", args: []*ex{value}, typ: boolType, nullable: value.nullable, parts: parts, isFolded: isFolded}
}

func patternEx(value *ex, pattern string, isFolded bool) *ex {
	var parts []matchPart
	for i, part := range strings.Split(pattern, "*") {
		if i > 0 {
			parts = append(parts, matchPart{isAny: true})
		}
		if part != "" {
			parts = append(parts, matchPart{text: part})
		}
	}
	return &ex{op: "text_match", args: []*ex{value}, typ: boolType, nullable: value.nullable, parts: parts, isFolded: isFolded}
}

func foldEx(fn string, of *ex, typ string) *ex {
	e := &ex{op: "fold", name: fn, typ: typ, nullable: fn != "count"}
	if of != nil {
		e.args, e.format = []*ex{of}, of.format
	}
	return e
}

func existsEx(q *query) *ex { return &ex{op: "exists", query: q, typ: boolType} }

// A value of the first row; without a column, the only one of a fold.
func scalarEx(q *query, of *ex, typ string) *ex {
	e := &ex{op: "scalar", query: q, typ: typ, nullable: true}
	if of != nil {
		e.args, e.format = []*ex{of}, of.format
	}
	return e
}

func countEx(q *query) *ex {
	folded := q.on("group", queryParts{folds: []field{{name: "n", of: foldEx("count", nil, intType)}}})
	folded.card, folded.isSingle = one, true
	return scalarEx(folded, nil, intType)
}

func equalities(columns, values []*ex) *ex {
	tests := make([]*ex, len(columns))
	for i, column := range columns {
		tests[i] = compareEx("eq", column, values[i])
	}
	return allOf(tests)
}

// A term of an order.
type term struct {
	of     *ex
	isDesc bool
}
