package svc

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// How many rows a query stands for.
type cardinality byte

const (
	many cardinality = iota
	maybe
	one
)

// An immutable value that says what is wanted; a document makes it text.
type query struct {
	op     string
	inputs []*query
	queryParts
	card cardinality
	// Proven by key: no order is needed.
	isSingle bool
	name     string
	err      error
}

type queryParts struct {
	table     *table
	source    *source // of scan, ref, rows
	statement any     // of ref, refQuery: *write or *reading
	predicate *ex
	terms     []term // of order; nil: by key
	limit     int    // of slice; unsaid: none
	offset    int    // of slice; unsaid: none
	fields    []field
	folds     []field
	isFold    bool // group without keys
	on        *ex
	kind      string // of join, set, recursive
	isAll     bool   // of set
	columns   []rowColumn
	cells     [][]*ex
	self      *query
	page      *pageParts
}

// A member of a projection: an expression, or nested rows.
type field struct {
	name   string
	of     *ex
	nested *query
}

type rowColumn struct {
	name, typ  string
	isNullable bool
}

// A table as the client was generated from it.
type table struct {
	name    string
	columns []tableColumn
	// The primary key, then unique indexes.
	keys [][]int
}

type tableColumn struct {
	name, typ, format      string
	isNullable, hasDefault bool
}

func (t *table) position(name string) int {
	for i := range t.columns {
		if t.columns[i].name == name {
			return i
		}
	}
	return -1
}

// The primary key and the unique indexes, as they stand in messages.
func (t *table) keyNames() string {
	keys := make([]string, len(t.keys))
	for i, key := range t.keys {
		names := make([]string, len(key))
		for k, at := range key {
			names[k] = t.columns[at].name
		}
		keys[i] = strings.Join(names, ", ")
	}
	return strings.Join(keys, " | ")
}

// Whether the columns are those of the primary key or of a unique index, in any order.
func (t *table) isKey(columns []int) bool {
	return slices.ContainsFunc(t.keys, func(key []int) bool {
		isPart := func(at int) bool { return slices.Contains(columns, at) }
		return len(key) == len(columns) && !slices.ContainsFunc(key, func(at int) bool { return !isPart(at) })
	})
}

func (t *table) newSource(isOuter bool) *source {
	s := &source{handles: make([]*ex, len(t.columns))}
	for i, column := range t.columns {
		s.handles[i] = &ex{op: "handle", name: column.name, typ: column.typ, format: column.format, nullable: column.isNullable || isOuter, of: s}
	}
	return s
}

func scanQuery(t *table, s *source) *query {
	return &query{op: "scan", queryParts: queryParts{table: t, source: s}}
}

// The step on top of this one.
func (q *query) on(op string, parts queryParts) *query {
	return &query{op: op, inputs: []*query{q}, queryParts: parts, card: q.card, isSingle: q.isSingle, name: q.name, err: q.err}
}

func (q *query) beside(op string, other *query, parts queryParts) *query {
	next := q.on(op, parts)
	next.inputs = []*query{q, other}
	next.card, next.isSingle = many, false
	if next.err == nil {
		next.err = other.err
	}
	return next
}

func (q *query) where(predicate *ex) *query {
	next := q.on("where", queryParts{predicate: predicate})
	if q.card == one {
		next.card = maybe
	}
	return next
}

// Below an order: rows that are looked up by values come in none.
func (q *query) whereIn(parts queryParts) *query {
	if !q.isOrderedBy() || q.op != "order" && q.op != "where" && q.op != "same" {
		return q.on("whereIn", parts)
	}
	next := *q
	next.inputs = []*query{q.inputs[0].whereIn(parts)}
	return &next
}

func (q *query) order(terms []term) *query {
	if len(terms) == 0 {
		return q
	}
	return q.on("order", queryParts{terms: terms})
}

// Of a slice: no limit, or no offset.
const unsaid = math.MinInt

func (q *query) slice(limit, offset int) *query {
	for _, count := range []int{limit, offset} {
		if count < 0 && count != unsaid {
			bad := q.on("same", queryParts{})
			bad.err = buildErrorf("%d is no count of rows", count)
			return bad
		}
	}
	// A limit of an offset is one step.
	if limit >= 0 && q.op == "slice" && q.limit < 0 {
		next := *q
		next.limit = limit
		return &next
	}
	return q.on("slice", queryParts{limit: limit, offset: offset})
}

func (q *query) as(card cardinality) *query {
	next := q.on("same", queryParts{})
	next.card = card
	return next
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func (q *query) named(name string) *query {
	next := q.on("same", queryParts{})
	next.name = name
	if !namePattern.MatchString(name) || len(name) >= 7 && name[:7] == "ensure_" {
		next.err = buildErrorf("%q is no name: letters, digits, _ and -, at most 64, not ensure_…", name)
	}
	return next
}

// Whether rows come in an order that the language knows.
func (q *query) isOrdered() bool {
	switch q.op {
	case "order", "slice", "page":
		return true
	case "where", "select", "same", "as":
		return q.inputs[0].isOrdered()
	}
	return false
}

// Whether the application has said the order in which rows come.
func (q *query) isOrderedBy() bool {
	switch q.op {
	case "order":
		return q.terms != nil
	case "where", "select", "same", "as", "slice":
		return q.inputs[0].isOrderedBy()
	}
	return false
}

// The step behind an OrderBy that does not keep its order; empty without one.
func (q *query) losesOrder() string {
	switch q.op {
	case "refQuery":
		if q.statement.(*reading).query.isOrderedBy() {
			return "Rows"
		}
		return ""
	case "order", "group", "page", "recursive":
		return ""
	}
	if len(q.inputs) == 0 {
		return ""
	}
	isLost := q.inputs[0].isOrderedBy() || q.op == "set" && q.inputs[1].isOrderedBy()
	name := stepNames[q.op+q.kind]
	if !isLost || name == "" {
		return q.inputs[0].losesOrder()
	}
	return name
}

var stepNames = map[string]string{
	"whereIn": "WhereIn", "distinct": "Distinct", "shared": "Shared", "joininner": "Join", "joinleft": "LeftJoin",
	"setconcatenate": "Union", "setintersect": "Intersect", "setexcept": "Except",
}

// The query with an order; a projection orders its input.
func (q *query) ordered() *query {
	if q.isSingle || q.isOrdered() {
		return q
	}
	if q.op == "select" || q.op == "same" || q.op == "as" {
		next := *q
		next.inputs = []*query{q.inputs[0].ordered()}
		return &next
	}
	next := q.on("order", queryParts{})
	if step := q.losesOrder(); step != "" && next.err == nil {
		next.err = buildErrorf("%s does not keep the order of OrderBy: put OrderBy behind it", step)
	}
	return next
}

// Whether the columns are named one by one: what the table gets later changes nothing.
func (q *query) isExplicit() bool {
	switch q.op {
	case "scan", "ref", "join":
		return false
	case "select", "group", "rows", "page", "all":
		return true
	case "refQuery":
		return q.statement.(*reading).query.isExplicit()
	}
	return q.inputs[0].isExplicit()
}

// By Only, not by what the schema promises: only the whole result is held to it.
func (q *query) asksForOne() bool {
	if q.card != one || q.op == "group" || len(q.inputs) == 0 {
		return false
	}
	return q.op == "same" && q.inputs[0].card != one || q.inputs[0].asksForOne()
}

// The rows of a query with columns of their own, so that it can stand in a query more than once.
func (q *query) withColumns(s *source) *query { return q.on("as", queryParts{source: s}) }

func rowsQuery(s *source, columns []rowColumn, cells [][]*ex) *query {
	return &query{op: "rows", queryParts: queryParts{source: s, columns: columns, cells: cells}}
}

// One row, for results beside each other.
func oneRow() *query {
	s := &source{handles: []*ex{{op: "handle", name: "one", typ: boolType}}}
	row := rowsQuery(s, []rowColumn{{name: "one", typ: boolType}}, [][]*ex{{boolEx(true)}})
	row.card, row.isSingle = one, true
	return row
}

func pick(s *source, positions []int) []*ex {
	columns := make([]*ex, len(positions))
	for i, at := range positions {
		columns[i] = s.handles[at]
	}
	return columns
}

// A relation from one table to another: columns there that equal columns here, by a table between where there is one.
type link struct {
	table       *table
	theirs, own []int
	card        cardinality
	middle      *table
	// Columns of the table between that equal ours, and those that equal theirs.
	toUs, toThem []int
}

// The rows that belong to a row of `from`, with columns of their own.
func (l *link) from(from *source) (*source, *query) {
	s := l.table.newSource(false)
	return s, l.rows(s, from)
}

func (l *link) rows(s, from *source) *query {
	there, here := pick(s, l.theirs), pick(from, l.own)
	if l.middle == nil {
		q := scanQuery(l.table, s).where(equalities(there, here))
		q.card, q.isSingle = l.card, l.card != many
		return q
	}
	between := l.middle.newSource(false)
	test := allOf([]*ex{equalities(pick(between, l.toUs), here), equalities(pick(between, l.toThem), there)})
	return scanQuery(l.table, s).where(existsEx(scanQuery(l.middle, between).where(test)))
}
