package svc

import (
	"math/bits"
	"strconv"
)

const (
	nodesMax = 10_000
	listMax  = 16
)

// A column of what a relation gives: its name, what it is called in this document, and the expression that queries know it by.
type outColumn struct {
	name   string
	at     *ex
	handle *ex // nil: nested rows
}

// A relation in a document.
type relation struct {
	node string
	out  []outColumn
	// Columns that no two rows share.
	key []*ex
}

type step struct{ node, kind string }

type bound struct{ handle, before *ex }

// One relation under way: text by the rules that make it the same in every language.
type document struct {
	steps      []step
	plain      [][]byte
	valued     [][]byte
	bindings   []byte
	statements map[any]string
	known      map[*query]knownRelation
	columns    map[*ex]*ex
	undo       []bound
	count      int
	labels     int
	names      int
	// The node whose expressions are being written has a literal.
	hasValue bool
	err      error
}

type knownRelation struct {
	name string
	out  []outColumn
}

func newDocument(statements map[any]string) *document {
	return &document{statements: statements, known: map[*query]knownRelation{}, columns: map[*ex]*ex{}}
}

func (d *document) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func (d *document) label() string {
	d.labels++
	return "s" + strconv.Itoa(d.labels-1)
}

func (d *document) bindingName() string {
	d.names++
	return "b" + strconv.Itoa(d.names-1)
}

// The whole relation, with the node at its root.
func (d *document) text(node, cardinality string) []byte {
	if d.count > nodesMax {
		d.fail(buildErrorf("a query of more than %d nodes", nodesMax))
	}
	b := []byte(`{"root":{"node":"` + node + `","cardinality":"` + cardinality + `"},`)
	if len(d.bindings) > 0 {
		b = append(append(append(b, `"bindings":{`...), d.bindings...), "},"...)
	}
	b = append(b, `"nodes":{`...)
	for i, text := range append(d.plain, d.valued...) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return append(b, "}}"...)
}

// Numbered once what it reads is. `write` appends the members behind `kind`.
func (d *document) node(kind string, write func(b []byte) []byte) string {
	outside := d.hasValue
	d.hasValue = kind == "rows"
	members := write(nil)
	id := "n" + strconv.Itoa(d.count)
	d.count++
	text := append([]byte(`"`+id+`":{"kind":"`+kind+`",`), members...)
	text = append(text, '}')
	if d.hasValue {
		d.valued = append(d.valued, text)
	} else {
		d.plain = append(d.plain, text)
	}
	d.steps = append(d.steps, step{id, kind})
	d.hasValue = outside
	return id
}

// From here on, the handle stands for a column of this document.
func (d *document) bind(handle, column *ex) {
	d.undo = append(d.undo, bound{handle, d.columns[handle]})
	d.columns[handle] = column
}

// What queries inside an expression know is unknown outside.
func (d *document) crossing(q *query, make func(q *query) relation) relation {
	mark := len(d.undo)
	found := make(q)
	for len(d.undo) > mark {
		last := d.undo[len(d.undo)-1]
		d.undo = d.undo[:len(d.undo)-1]
		d.columns[last.handle] = last.before
	}
	return found
}

func columnAt(label, name string, like *ex, nullable bool) *ex {
	return &ex{op: "col", label: label, name: name, typ: like.typ, format: like.format, nullable: nullable}
}

// The columns by another scope.
func (d *document) scoped(node, scope string, columns []outColumn, widen []outColumn) relation {
	out := make([]outColumn, len(columns))
	for i, column := range columns {
		nullable := column.at.nullable || widen != nil && i < len(widen) && widen[i].at.nullable
		out[i] = outColumn{column.name, columnAt(scope, column.name, column.at, nullable), column.handle}
	}
	d.bindAll(out)
	return relation{node: node, out: out}
}

func (d *document) bindAll(out []outColumn) {
	seen := make(map[*ex]bool, len(out))
	for _, column := range out {
		// Of two columns of one expression the first one stands for it.
		if column.handle != nil && !seen[column.handle] {
			seen[column.handle] = true
			d.bind(column.handle, column.at)
		}
	}
}

// Expressions of what a projection reads are out of reach above it.
func (d *document) forget(out []outColumn) {
	for _, column := range out {
		if column.handle != nil {
			d.bind(column.handle, nil)
		}
	}
}

// An ordered query with named columns, as answers and crossings have it.
func (d *document) shaped(q *query) relation {
	if q.card != one || !q.isSingle {
		q = q.ordered()
	}
	return d.explicit(q)
}

func (d *document) explicit(q *query) relation {
	if !q.isExplicit() {
		q = q.on("all", queryParts{})
	}
	return d.relation(q)
}

func (d *document) tableRelation(kind, members string, t *table, s *source) relation {
	scope := d.label()
	node := d.node(kind, func(b []byte) []byte {
		return append(b, members+`"scope":"`+scope+`"`...)
	})
	out := make([]outColumn, len(t.columns))
	for i, column := range t.columns {
		handle := s.handles[i]
		out[i] = outColumn{column.name, columnAt(scope, column.name, handle, handle.nullable), handle}
	}
	d.bindAll(out)
	key := make([]*ex, len(t.keys[0]))
	for i, at := range t.keys[0] {
		key[i] = out[at].at
	}
	return relation{node, out, key}
}

func (d *document) reference(kind, binding string, columns, widen []outColumn) relation {
	scope := d.label()
	node := d.node(kind, func(b []byte) []byte {
		b = appendText(append(b, `"binding":`...), binding)
		return append(b, `,"scope":"`+scope+`"`...)
	})
	return d.scoped(node, scope, columns, widen)
}

func (d *document) statement(of any) string {
	name, ok := d.statements[of]
	if !ok {
		d.fail(buildErrorf("rows of a statement belong to its program"))
	}
	return name
}

func (d *document) relation(q *query) relation {
	if q.err != nil {
		d.fail(q.err)
	}
	if d.err != nil {
		return relation{}
	}
	if d.count > nodesMax {
		d.fail(buildErrorf("a query of more than %d nodes", nodesMax))
		return relation{}
	}
	switch q.op {
	case "scan":
		return d.tableRelation("scan", `"table":`+string(appendText(nil, q.table.name))+`,`, q.table, q.source)
	case "ref":
		binding := string(appendText(nil, d.statement(q.statement)))
		found := d.tableRelation("ref", `"binding":`+binding+`,`, q.table, q.source)
		found.key = nil
		return found
	case "refQuery":
		name := d.statement(q.statement)
		inner := newDocument(d.statements)
		found := inner.shaped(q.statement.(*reading).query)
		if inner.err != nil {
			d.fail(inner.err)
		}
		return d.reference("ref", name, found.out, nil)
	case "rows":
		return d.rows(q)
	case "same":
		return d.relation(q.inputs[0])
	case "as":
		return d.renamed(d.relation(q.inputs[0]), q.source)
	case "where":
		input := d.relation(q.inputs[0])
		return d.filter(input, q.predicate)
	case "whereIn":
		return d.whereIn(q)
	case "order":
		return d.order(q)
	case "slice":
		input := d.relation(q.inputs[0].ordered())
		input.node = d.node("slice", func(b []byte) []byte {
			b = append(b, `"input":"`+input.node+`"`...)
			if q.offset >= 0 {
				b = strconv.AppendInt(append(b, `,"offset":`...), int64(q.offset), 10)
			}
			if q.limit >= 0 {
				b = strconv.AppendInt(append(b, `,"limit":`...), int64(q.limit), 10)
			}
			return b
		})
		return input
	case "select":
		return d.project(d.relation(q.inputs[0]), q.fields)
	case "all":
		input := d.relation(q.inputs[0])
		input.node = d.all(input, "")
		return input
	case "join":
		return d.join(q)
	case "group":
		return d.group(q)
	case "distinct":
		input := d.relation(q.inputs[0])
		if !q.inputs[0].isExplicit() {
			// Rows behind this step are seen by its own scope only.
			scope := d.label()
			input = d.scoped(d.all(input, `"scope":"`+scope+`",`), scope, input.out, nil)
		}
		input.node = d.node("distinct", func(b []byte) []byte { return append(b, `"input":"`+input.node+`"`...) })
		return input
	case "set":
		return d.set(q)
	case "shared":
		found, isKnown := d.known[q.inputs[0]]
		if !isKnown {
			inner := d.crossing(q.inputs[0], d.shaped)
			found = knownRelation{d.bindingName(), inner.out}
			d.known[q.inputs[0]] = found
			d.addBinding(found.name, `{"kind":"derived","node":"`+inner.node+`"}`)
		}
		return d.reference("ref", found.name, found.out, nil)
	case "recursive":
		return d.recursive(q)
	case "self":
		found, isKnown := d.known[q]
		if !isKnown {
			d.fail(buildErrorf("the rows of a recursion belong into its step"))
		}
		return d.reference("recursive_ref", found.name, found.out, nil)
	case "page":
		return q.page.relation(d)
	}
	d.fail(buildErrorf("%s is no query", q.op))
	return relation{}
}

func (d *document) addBinding(name, text string) {
	if len(d.bindings) > 0 {
		d.bindings = append(d.bindings, ',')
	}
	d.bindings = append(d.bindings, `"`+name+`":`+text...)
}

func (d *document) recursive(q *query) relation {
	name := d.bindingName()
	anchor := d.crossing(q.inputs[0], d.explicit)
	d.known[q.self] = knownRelation{name, anchor.out}
	step := d.crossing(q.inputs[1], d.explicit)
	if !d.sameColumns(anchor, step, "the step of a recursion") {
		return relation{}
	}
	d.addBinding(name, `{"kind":"recursive","anchor":"`+anchor.node+`","step":"`+step.node+`","accumulation":"`+q.kind+`"}`)
	return d.reference("ref", name, anchor.out, step.out)
}

func (d *document) filter(input relation, predicate *ex) relation {
	input.node = d.node("filter", func(b []byte) []byte {
		if predicate.typ != boolType {
			d.fail(buildErrorf("where wants a truth value"))
		}
		return d.expression(append(b, `"input":"`+input.node+`","predicate":`...), predicate)
	})
	return input
}

func (d *document) order(q *query) relation {
	input := d.relation(q.inputs[0])
	terms := q.terms
	if terms == nil {
		key := input.key
		if key == nil {
			for _, column := range input.out {
				if column.handle != nil {
					key = append(key, column.at)
				}
			}
		}
		for _, of := range key {
			terms = append(terms, term{of: of})
		}
	}
	return d.sorted(input, terms)
}

func (d *document) sorted(input relation, terms []term) relation {
	input.node = d.node("order", func(b []byte) []byte {
		b = append(b, `"input":"`+input.node+`","terms":[`...)
		for i, term := range terms {
			if i > 0 {
				b = append(b, ',')
			}
			b = d.expression(append(b, `{"expr":`...), term.of)
			if term.isDesc {
				b = append(b, `,"desc":true`...)
			}
			b = append(b, '}')
		}
		return append(b, ']')
	})
	return input
}

func (d *document) rows(q *query) relation {
	scope := d.label()
	node := d.node("rows", func(b []byte) []byte {
		b = append(b, `"scope":"`+scope+`","columns":[`...)
		for i, column := range q.columns {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(append(b, `{"name":`...), column.name)
			b = append(b, `,"type":"`+column.typ+`"`...)
			if column.isNullable {
				b = append(b, `,"nullable":true`...)
			}
			b = append(b, '}')
		}
		b = append(b, `],"rows":[`...)
		for i, row := range q.cells {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, '[')
			for k, cell := range row {
				if k > 0 {
					b = append(b, ',')
				}
				b = d.cell(b, cell)
			}
			b = append(b, ']')
		}
		return append(b, ']')
	})
	out := make([]outColumn, len(q.columns))
	for i, column := range q.columns {
		handle := q.source.handles[i]
		out[i] = outColumn{column.name, columnAt(scope, column.name, handle, column.isNullable), handle}
	}
	d.bindAll(out)
	return relation{node: node, out: out}
}

func (d *document) cell(b []byte, cell *ex) []byte {
	switch {
	case cell.op == "bad":
		d.fail(cell.err)
	case cell.op != "lit":
		d.fail(buildErrorf("rows take values, not expressions"))
	case cell.isNull:
		return append(b, "null"...)
	case cell.typ == boolType:
		return append(b, `"`+cell.text+`"`...)
	}
	return append(b, cell.text...)
}

// The columns by the handles of the same names.
func (d *document) renamed(input relation, s *source) relation {
	d.forget(input.out)
	out := make([]outColumn, len(input.out))
	for i, column := range input.out {
		out[i] = outColumn{column.name, column.at, nil}
		for _, handle := range s.handles {
			if handle.name == column.name {
				out[i].handle = handle
			}
		}
	}
	d.bindAll(out)
	input.out = out
	return input
}

// All columns, one by one.
func (d *document) all(input relation, scope string) string {
	seen := make(map[string]bool, len(input.out))
	for _, column := range input.out {
		if seen[column.name] {
			d.fail(buildErrorf("both sides of the join have a column of one name: use Select"))
		}
		seen[column.name] = true
	}
	return d.node("project", func(b []byte) []byte {
		b = append(b, `"input":"`+input.node+`",`+scope+`"fields":[`...)
		for i, column := range input.out {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(append(b, `{"as":`...), column.name)
			b = append(d.expression(append(b, `,"expr":`...), column.at), '}')
		}
		return append(b, ']')
	})
}

func (d *document) project(input relation, fields []field) relation {
	if len(fields) == 0 {
		d.fail(buildErrorf("Select wants one field at least"))
		return relation{}
	}
	scope := d.label()
	var out []outColumn
	seen := make(map[string]bool, len(fields))
	node := d.node("project", func(b []byte) []byte {
		b = append(b, `"input":"`+input.node+`","scope":"`+scope+`","fields":[`...)
		for i, field := range fields {
			if i > 0 {
				b = append(b, ',')
			}
			if seen[field.name] {
				d.fail(buildErrorf("two fields are called %q", field.name))
			}
			seen[field.name] = true
			b = appendText(append(b, `{"as":`...), field.name)
			b = append(b, `,"expr":`...)
			if field.nested == nil {
				b = d.expression(b, field.of)
				nullable := field.of.nullable
				if bound := d.columns[field.of]; bound != nil {
					nullable = bound.nullable
				}
				out = append(out, outColumn{field.name, columnAt(scope, field.name, field.of, nullable), field.of})
			} else {
				if field.nested.asksForOne() {
					d.fail(buildErrorf("%s: Only holds for a whole result only: use Maybe, or Ensure of a program", field.name))
				}
				inner := d.crossing(field.nested, d.shaped)
				kind := "first"
				if field.nested.card == many {
					kind = "array"
				}
				b = append(b, `{"kind":"`+kind+`","node":"`+inner.node+`"}`...)
				out = append(out, outColumn{field.name, columnAt(scope, field.name, &ex{typ: textType}, true), nil})
			}
			b = append(b, '}')
		}
		return append(b, ']')
	})
	d.forget(input.out)
	d.bindAll(out)
	return relation{node: node, out: out}
}

func (d *document) join(q *query) relation {
	left, right := d.relation(q.inputs[0]), d.relation(q.inputs[1])
	for _, a := range left.out {
		for _, b := range right.out {
			if a.handle != nil && a.handle == b.handle {
				d.fail(buildErrorf("both sides of a join are the same rows: call As once for each"))
			}
		}
	}
	node := d.node("join", func(b []byte) []byte {
		b = append(b, `"left":"`+left.node+`","right":"`+right.node+`","join":"`+q.kind+`","on":`...)
		return d.expression(b, q.queryParts.on)
	})
	other := right.out
	if q.kind == "left" {
		other = make([]outColumn, len(right.out))
		for i, column := range right.out {
			other[i] = outColumn{column.name, columnAt(column.at.label, column.at.name, column.at, true), column.handle}
		}
		d.bindAll(other)
	}
	found := relation{node: node, out: append(append([]outColumn(nil), left.out...), other...)}
	if left.key != nil && right.key != nil {
		found.key = append(append([]*ex(nil), left.key...), right.key...)
	}
	return found
}

func (d *document) group(q *query) relation {
	input := d.relation(q.inputs[0])
	scope := d.label()
	var out []outColumn
	add := func(name string, of *ex) {
		out = append(out, outColumn{name, columnAt(scope, name, of, of.nullable), of})
	}
	node := d.node("aggregate", func(b []byte) []byte {
		b = append(b, `"input":"`+input.node+`","scope":"`+scope+`"`...)
		if len(q.fields)+len(q.folds) == 0 {
			d.fail(buildErrorf("Group wants a key or a fold"))
		}
		for i, key := range q.fields {
			if i == 0 {
				b = append(b, `,"groups":[`...)
			} else {
				b = append(b, ',')
			}
			add(key.name, key.of)
			b = d.expression(append(b, `{"expr":`...), key.of)
			b = append(appendText(append(b, `,"as":`...), key.name), '}')
		}
		if len(q.fields) > 0 {
			b = append(b, ']')
		}
		for i, fold := range q.folds {
			if i == 0 {
				b = append(b, `,"aggs":[`...)
			} else {
				b = append(b, ',')
			}
			if fold.of.op != "fold" {
				d.fail(buildErrorf("%s is no count, sum, avg, min or max", fold.name))
				return b
			}
			add(fold.name, fold.of)
			b = appendText(append(b, `{"fn":"`+fold.of.name+`","as":`...), fold.name)
			if len(fold.of.args) > 0 {
				b = d.expression(append(b, `,"arg":`...), fold.of.args[0])
			}
			b = append(b, '}')
		}
		if len(q.folds) > 0 {
			b = append(b, ']')
		}
		return b
	})
	d.forget(input.out)
	d.bindAll(out)
	found := relation{node: node, out: out}
	if !q.isFold {
		found.key = []*ex{}
		for _, column := range out[:min(len(out), len(q.fields))] {
			found.key = append(found.key, column.at)
		}
	}
	return found
}

func (d *document) set(q *query) relation {
	// What the left side means by its columns is meant above.
	left := d.crossing(q.inputs[0], d.explicit)
	right := d.crossing(q.inputs[1], d.explicit)
	what := q.kind
	if what == "concatenate" {
		what = "union"
	}
	if !d.sameColumns(left, right, what) {
		return relation{}
	}
	scope := d.label()
	node := d.node(q.kind, func(b []byte) []byte {
		if q.kind == "concatenate" {
			return append(b, `"inputs":["`+left.node+`","`+right.node+`"],"scope":"`+scope+`"`...)
		}
		quantifier := "distinct"
		if q.isAll {
			quantifier = "all"
		}
		return append(b, `"left":"`+left.node+`","right":"`+right.node+`","quantifier":"`+quantifier+`","scope":"`+scope+`"`...)
	})
	if q.kind == "concatenate" {
		return d.scoped(node, scope, left.out, right.out)
	}
	return d.scoped(node, scope, left.out, nil)
}

func (d *document) sameColumns(a, b relation, what string) bool {
	if d.err != nil {
		return false
	}
	names := func(r relation) (text string) {
		for i, column := range r.out {
			if i > 0 {
				text += ", "
			}
			text += column.name + " " + column.at.typ
		}
		return text
	}
	if names(a) != names(b) {
		d.fail(buildErrorf("%s wants the same columns: %s, not %s", what, names(a), names(b)))
		return false
	}
	return true
}

// The values as rows that the query is joined with: a lookup by key for each.
func (d *document) whereIn(q *query) relation {
	input := d.relation(q.inputs[0])
	columns := make([]rowColumn, len(q.fields))
	handles := make([]*ex, len(q.fields))
	wanted := make([]*ex, len(q.fields))
	for i, field := range q.fields {
		columns[i] = rowColumn{name: field.name, typ: field.of.typ}
		handles[i] = &ex{op: "handle", name: field.name, typ: field.of.typ}
		wanted[i] = field.of
	}
	list := d.rows(rowsQuery(&source{handles: handles}, columns, padded(q.cells)))
	list.node = d.node("distinct", func(b []byte) []byte { return append(b, `"input":"`+list.node+`"`...) })
	input.node = d.node("join", func(b []byte) []byte {
		b = append(b, `"left":"`+list.node+`","right":"`+input.node+`","join":"inner","on":`...)
		return d.expression(b, equalities(handles, wanted))
	})
	return input
}

// Up to the next power of two by the last one: few texts for many lengths.
func padded[T any](values []T) []T {
	if len(values) == 0 {
		return values
	}
	size := 1 << bits.Len(uint(len(values)-1))
	all := append(make([]T, 0, size), values...)
	for len(all) < size {
		all = append(all, values[len(values)-1])
	}
	return all
}

const paramMark = '\x01'

func (d *document) expression(b []byte, e *ex) []byte {
	if e == nil {
		d.fail(buildErrorf("an expression is wanted"))
	}
	if d.err != nil {
		return b
	}
	if column := d.columns[e]; column != nil {
		e = column
	}
	switch e.op {
	case "bad":
		d.fail(e.err)
	case "lit":
		d.hasValue = true
		b = append(b, `{"kind":"lit","value":{"type":"`+e.typ+`"`...)
		if !e.isNull {
			b = append(append(b, `,"value":`...), e.text...)
		}
		return append(b, "}}"...)
	case "param":
		d.hasValue = true
		b = append(b, `{"kind":"lit","value":`...)
		b = append(append(append(b, paramMark), e.text...), paramMark)
		return append(b, '}')
	case "col":
		b = append(b, `{"kind":"col","scope":"`+e.label+`","column":`...)
		return append(appendText(b, e.name), '}')
	case "handle":
		d.fail(buildErrorf("the column %q is of rows that are not at hand here: the scope is another one, or a Select left it out", e.name))
	case "unary":
		b = append(b, `{"kind":"unary","op":"`+e.name+`","expr":`...)
		return append(d.expression(b, e.args[0]), '}')
	case "binary":
		b = append(b, `{"kind":"binary","op":"`+e.name+`","left":`...)
		b = append(d.expression(b, e.args[0]), `,"right":`...)
		return append(d.expression(b, e.args[1]), '}')
	case "as":
		return d.expression(b, e.args[0])
	case "cast":
		b = d.expression(append(b, `{"kind":"cast","expr":`...), e.args[0])
		return append(b, `,"to":"`+e.typ+`"}`...)
	case "branch":
		b = append(b, `{"kind":"branch","branches":[`...)
		last := len(e.args) - 1
		for i := 0; i < last; i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(d.expression(append(b, `{"when":`...), e.args[i]), `,"then":`...)
			b = append(d.expression(b, e.args[i+1]), '}')
		}
		return append(d.expression(append(b, `],"else":`...), e.args[last]), '}')
	case "coalesce":
		b = append(b, `{"kind":"coalesce","args":[`...)
		for i, arg := range e.args {
			if i > 0 {
				b = append(b, ',')
			}
			b = d.expression(b, arg)
		}
		return append(b, "]}"...)
	case "text_match":
		return d.textMatch(b, e)
	case "in":
		return d.among(b, e)
	case "exists":
		inner := d.crossing(e.query, d.relation)
		return append(b, `{"kind":"exists","node":"`+inner.node+`"}`...)
	case "scalar":
		only := e.query
		if !only.isSingle {
			only = only.on("slice", queryParts{limit: 1, offset: -1})
		}
		if len(e.args) > 0 {
			only = only.on("select", queryParts{fields: []field{{name: "v", of: e.args[0]}}})
		}
		inner := d.crossing(only, d.relation)
		return append(b, `{"kind":"scalar","node":"`+inner.node+`"}`...)
	case "fold":
		d.fail(buildErrorf("Count, Sum, Avg, Min and Max stand in Group and Fold"))
	default:
		d.fail(buildErrorf("%s is no expression", e.op))
	}
	return b
}

func (d *document) textMatch(b []byte, e *ex) []byte {
	d.hasValue = true
	if len(e.parts) == 0 {
		return d.expression(b, compareEx("eq", e.args[0], &ex{op: "lit", typ: textType, text: `""`}))
	}
	b = d.expression(append(b, `{"kind":"text_match","value":`...), e.args[0])
	b = append(b, `,"parts":[`...)
	for i, part := range e.parts {
		if i > 0 {
			b = append(b, ',')
		}
		if part.isAny {
			b = append(b, `{"kind":"any_many"}`...)
			continue
		}
		text, err := textCodec.write(nil, part.text)
		if err != nil {
			d.fail(err)
		}
		b = append(append(append(b, `{"kind":"literal","value":`...), text...), '}')
	}
	b = append(b, ']')
	if e.isFolded {
		b = append(b, `,"comparison":"unicode_simple_fold"`...)
	}
	return append(b, '}')
}

// FALSE for NULL, however many values there are.
func (d *document) among(b []byte, e *ex) []byte {
	value, values := e.args[0], padded(e.args[1:])
	if len(values) == 0 {
		return d.expression(b, boolEx(false))
	}
	if len(values) > listMax {
		cells := make([][]*ex, len(values))
		for i, cell := range values {
			cells[i] = []*ex{cell}
		}
		handle := &ex{op: "handle", name: "v", typ: value.typ}
		list := rowsQuery(&source{handles: []*ex{handle}}, []rowColumn{{name: "v", typ: value.typ}}, cells)
		return d.expression(b, existsEx(list.where(compareEx("eq", value, handle))))
	}
	var found *ex
	for _, other := range values {
		equal := compareEx("eq", value, other)
		if found == nil {
			found = equal
		} else {
			found = compareEx("or", found, equal)
		}
	}
	if value.nullable {
		found = compareEx("and", testEx("is_not_null", value), found)
	}
	return d.expression(b, found)
}
