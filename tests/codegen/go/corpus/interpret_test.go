package db

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// The neutral trees of the corpus as queries of this runtime. The grammar is in the README of the corpus.

type corpusRelation struct {
	Member            string
	Table             int
	Own, Theirs       []int
	Kind              string
	Between           int
	BetweenOwn, Other []int
}

type corpusTable struct {
	Name    string
	Columns []struct {
		Name, Type, Format string
		Nullable, Default  bool
	}
	Keys      [][]int
	Relations []corpusRelation
}

type side struct {
	columns map[string]*ex
	table   int
	source  *source
}

// A query with what callbacks of its next step are given.
type rel struct {
	q     *query
	sides []side
}

// What a name stands for: a tree in its scope, or what was made of it.
type meaning struct {
	tree  any
	scope *interpreter
	rel   *rel
	done  any // *write or *reading
}

type interpreter struct {
	tables    []*table
	relations [][]corpusRelation
	frames    [][]side
	names     map[string]meaning
}

func (in *interpreter) within(sides []side) *interpreter {
	return &interpreter{in.tables, in.relations, append([][]side{sides}, in.frames...), in.names}
}

func (in *interpreter) named(name string, m meaning) *interpreter {
	names := map[string]meaning{}
	for key, value := range in.names {
		names[key] = value
	}
	names[name] = m
	return &interpreter{in.tables, in.relations, in.frames, names}
}

func (in *interpreter) table(name any) int {
	for i, t := range in.tables {
		if t.name == name {
			return i
		}
	}
	panic(fmt.Sprint("no table ", name))
}

func (in *interpreter) side(at int, s *source) side {
	columns := map[string]*ex{}
	for i, column := range in.tables[at].columns {
		columns[column.name] = s.handles[i]
	}
	return side{columns, at, s}
}

func (in *interpreter) scan(at int) (rel, *source) {
	s := in.tables[at].newSource(false)
	return rel{scanQuery(in.tables[at], s), []side{in.side(at, s)}}, s
}

// One side of all columns.
func inOne(sides []side) []side {
	if len(sides) == 1 {
		return []side{{sides[0].columns, -1, nil}}
	}
	all := map[string]*ex{}
	for _, s := range sides {
		for name, e := range s.columns {
			all[name] = e
		}
	}
	return []side{{all, -1, nil}}
}

func number(v any, name string) int {
	n, err := v.(json.Number).Int64()
	if err != nil {
		panic(buildErrorf("%s: %v", name, v))
	}
	return int(n)
}

// A value beside an expression.
func beside(v any, like *ex) *ex {
	if v == nil {
		return nullEx(like.typ)
	}
	bad := func() *ex { return badEx(like.typ, buildErrorf("%v is no %s", v, like.typ)) }
	object, _ := v.(map[string]any)
	switch like.typ {
	case textType:
		if text, ok := v.(string); ok {
			return textCodec.literal(text)
		}
	case boolType:
		if value, ok := v.(bool); ok {
			return boolEx(value)
		}
	case intType:
		text, _ := object["$int64"].(string)
		if n, ok := v.(json.Number); ok {
			text = n.String()
		}
		if value, err := strconv.ParseInt(text, 10, 64); err == nil {
			return intCodec.literal(value)
		}
	case floatType:
		if text, ok := object["$float"].(string); ok {
			if text == "-0" {
				return floatCodec.literal(math.Copysign(0, -1))
			}
			value, _ := strconv.ParseFloat(text, 64)
			return floatCodec.literal(value)
		}
		if n, ok := v.(json.Number); ok {
			value, _ := n.Float64()
			return floatCodec.literal(value)
		}
	case bytesType:
		if text, ok := object["$bytes"].(string); ok {
			value, _ := base64.StdEncoding.DecodeString(text)
			return bytesCodec.literal(value)
		}
		text, ok := v.(string)
		if !ok {
			return bad()
		}
		var uuid UUID
		var ulid ULID
		var xid XID
		switch {
		case like.format == "uuid" && uuid.UnmarshalText([]byte(text)) == nil:
			return uuidCodec.literal(uuid)
		case like.format == "ulid" && ulid.UnmarshalText([]byte(text)) == nil:
			return ulidCodec.literal(ulid)
		case like.format == "xid" && xid.UnmarshalText([]byte(text)) == nil:
			return xidCodec.literal(xid)
		}
	}
	return bad()
}

func isTree(v any) bool { _, ok := v.([]any); return ok }

// An expression, or a value beside `like`.
func (in *interpreter) x(v any, like *ex) *ex {
	if !isTree(v) {
		if like == nil {
			panic(buildErrorf("%v has no type here", v))
		}
		return beside(v, like)
	}
	return in.e(v.([]any))
}

func (in *interpreter) fields(v any) []field {
	var fields []field
	for _, pair := range v.([]any) {
		p := pair.([]any)
		next := in.field(p[0].(string), p[1])
		for _, before := range fields {
			if next.of != nil && before.of == next.of {
				next.of = aliasEx(next.of)
			}
		}
		fields = append(fields, next)
	}
	return fields
}

func (in *interpreter) field(name string, v any) field {
	tree, ok := v.([]any)
	if !ok {
		panic(buildErrorf("%s is a plain value", name))
	}
	if tree[0] == "use" {
		m, known := in.names[tree[1].(string)]
		switch {
		case known && m.done != nil:
			return field{name: name, nested: in.doneResult(m)}
		case known && m.rel == nil:
			return m.scope.field(name, m.tree)
		}
	}
	if r, ok := in.tryQuery(tree); ok {
		return field{name: name, nested: r.q}
	}
	return field{name: name, of: in.e(tree)}
}

func (in *interpreter) doneResult(m meaning) *query {
	rows := in.rowsOf(m).q
	if w, ok := m.done.(*write); ok && w.single != many {
		return rows.as(maybe)
	}
	return rows
}

func (in *interpreter) rowsOf(m meaning) rel {
	switch done := m.done.(type) {
	case *write:
		at := in.table(done.table.name)
		s := done.table.newSource(false)
		return rel{rowsOfWrite(done, s), []side{in.side(at, s)}}
	case *reading:
		if done.table == nil {
			return rel{&query{op: "refQuery", queryParts: queryParts{statement: done}}, inOne(m.rel.sides)}
		}
		s := done.table.newSource(false)
		return rel{rowsOfStatement(done.table, done, s), []side{in.side(in.table(done.table.name), s)}}
	}
	if made := m.scope.statement(m.tree.([]any)); made != nil {
		return m.scope.rowsOf(meaning{done: made.last})
	}
	panic("no rows")
}

func sidesOfFields(fields []field) []side {
	columns := map[string]*ex{}
	for _, f := range fields {
		if f.of != nil {
			columns[f.name] = f.of
		}
	}
	return []side{{columns, -1, nil}}
}

// False where the tree is an expression.
func (in *interpreter) tryQuery(tree []any) (rel, bool) {
	get := func(i int) any {
		if i < len(tree) {
			return tree[i]
		}
		return nil
	}
	q := func(i int) rel {
		r, ok := in.tryQuery(get(i).([]any))
		if !ok {
			panic(buildErrorf("a query is wanted: %v", get(i)))
		}
		return r
	}
	head := tree[0].(string)
	switch head {
	case "table":
		r, _ := in.scan(in.table(get(1)))
		return r, true
	case "get", "by":
		at := in.table(get(1))
		return in.byKey(at, get(2)), true
	case "getMany":
		at := in.table(get(1))
		t := in.tables[at]
		s := t.newSource(false)
		cells := [][]*ex{}
		for _, key := range get(2).([]any) {
			var cell []*ex
			for _, position := range t.keys[0] {
				cell = append(cell, in.x(key.(map[string]any)[t.columns[position].name], s.handles[position]))
			}
			cells = append(cells, cell)
		}
		return rel{byKeys(t, s, cells), []side{in.side(at, s)}}, true
	case "rows":
		return in.rows(get(1).([]any), get(2).([]any)), true
	case "where":
		r := q(1)
		return rel{r.q.where(in.within(r.sides).x(get(2), nil)), r.sides}, true
	case "whereIn":
		r := q(1)
		of := in.within(r.sides).x(get(2), nil)
		cells := [][]*ex{}
		for _, v := range get(3).([]any) {
			cells = append(cells, []*ex{beside(v, of)})
		}
		return rel{r.q.whereIn(queryParts{fields: []field{{name: "v", of: of}}, cells: cells}), r.sides}, true
	case "orderBy":
		r := q(1)
		here := in.within(r.sides)
		var terms []term
		for _, v := range get(2).([]any) {
			one := v.([]any)
			switch one[0] {
			case "asc":
				terms = append(terms, term{of: here.x(one[1], nil)})
			case "desc":
				terms = append(terms, term{of: here.x(one[1], nil), isDesc: true})
			default:
				terms = append(terms, term{of: here.x(v, nil)})
			}
		}
		return rel{r.q.order(terms), r.sides}, true
	case "limit":
		r := q(1)
		return rel{r.q.slice(number(get(2), head), unsaid), r.sides}, true
	case "offset":
		r := q(1)
		return rel{r.q.slice(unsaid, number(get(2), head)), r.sides}, true
	case "named":
		r := q(1)
		return rel{r.q.named(get(2).(string)), r.sides}, true
	case "select":
		r := q(1)
		fields := in.within(r.sides).fields(get(2))
		return rel{r.q.on("select", queryParts{fields: fields}), sidesOfFields(fields)}, true
	case "join", "leftJoin":
		left, right := q(1), q(2)
		sides := append(append([]side(nil), left.sides...), right.sides[0])
		kind := map[string]string{"join": "inner", "leftJoin": "left"}[head]
		on := in.within(sides).x(get(3), nil)
		if kind == "left" {
			// Above the join, columns of the outer side can be NULL.
			outer := map[string]*ex{}
			for name, e := range right.sides[0].columns {
				outer[name] = aliasEx(e)
				outer[name].nullable = true
			}
			sides = append(append([]side(nil), left.sides...), side{outer, right.sides[0].table, right.sides[0].source})
		}
		return rel{left.q.beside("join", right.q, queryParts{kind: kind, on: on}), sides}, true
	case "group", "fold":
		r := q(1)
		here := in.within(r.sides)
		parts := queryParts{isFold: head == "fold"}
		if head == "fold" {
			parts.folds = here.fields(get(2))
		} else {
			parts.fields = here.fields(get(2))
			if get(3) != nil {
				parts.folds = here.fields(get(3))
			}
		}
		next := r.q.on("group", parts)
		next.card, next.isSingle = many, false
		if head == "fold" {
			next.card, next.isSingle = one, true
		}
		return rel{next, sidesOfFields(append(append([]field(nil), parts.fields...), parts.folds...))}, true
	case "union", "intersect", "except":
		left, right := q(1), q(2)
		kind := head
		if head == "union" {
			kind = "concatenate"
		}
		isAll, _ := get(3).(bool)
		return rel{left.q.beside("set", right.q, queryParts{kind: kind, isAll: isAll}), inOne(left.sides)}, true
	case "distinct", "shared":
		r := q(1)
		sides := r.sides
		if head == "shared" || !r.q.isExplicit() {
			sides = inOne(r.sides)
		}
		return rel{r.q.on(head, queryParts{}), sides}, true
	case "first":
		r := q(1)
		return rel{r.q.as(maybe), r.sides}, true
	case "one":
		r := q(1)
		return rel{r.q.as(one), r.sides}, true
	case "recursive":
		anchor := q(1)
		self := &query{op: "self", inputs: []*query{anchor.q}}
		known := rel{self, inOne(anchor.sides)}
		step, _ := in.named("self", meaning{rel: &known}).tryQuery(get(2).([]any))
		next := anchor.q.beside("recursive", step.q, queryParts{self: self, kind: get(3).(string)})
		return rel{next, inOne(anchor.sides)}, true
	case "let":
		return in.let(tree).tryQuery(get(3).([]any))
	case "use":
		m, ok := in.names[get(1).(string)]
		switch {
		case !ok:
			panic(fmt.Sprint("no name ", get(1)))
		case m.rel != nil && m.rel.q.op == "shared":
			// Each time with columns of their own.
			s, columns := &source{}, map[string]*ex{}
			for name, e := range m.rel.sides[0].columns {
				columns[name] = &ex{op: "handle", name: name, typ: e.typ, format: e.format, nullable: e.nullable}
				s.handles = append(s.handles, columns[name])
			}
			return rel{m.rel.q.withColumns(s), []side{{columns, -1, nil}}}, true
		case m.rel != nil && m.done == nil:
			return *m.rel, true
		case m.done != nil:
			return rel{}, false
		}
		return m.scope.tryQuery(m.tree.([]any))
	case "rowsOf":
		return in.rowsOf(in.names[get(1).(string)]), true
	case "rel":
		up := 0
		if get(2) != nil {
			up = number(get(2), head)
		}
		frame := in.frames[up]
		return in.relation(frame[len(frame)-1], get(1).(string)), true
	}
	return rel{}, false
}

func (in *interpreter) let(tree []any) *interpreter {
	m := meaning{tree: tree[2], scope: in}
	if value, ok := tree[2].([]any); ok && value[0] == "shared" {
		r, _ := in.tryQuery(value)
		m.rel = &r
	}
	return in.named(tree[1].(string), m)
}

func (in *interpreter) relation(from side, member string) rel {
	for _, r := range in.relations[from.table] {
		if r.Member != member {
			continue
		}
		l := &link{table: in.tables[r.Table], theirs: r.Theirs, own: r.Own, card: map[string]cardinality{"one": one, "maybe": maybe, "many": many}[r.Kind]}
		if r.BetweenOwn != nil {
			l.middle, l.toUs, l.toThem = in.tables[r.Between], r.BetweenOwn, r.Other
		}
		s, q := l.from(from.source)
		return rel{q, []side{in.side(r.Table, s)}}
	}
	panic("no relation " + member)
}

func (in *interpreter) byKey(at int, key any) rel {
	t := in.tables[at]
	members := key.(map[string]any)
	for i, positions := range t.keys {
		isKey := len(positions) == len(members)
		for _, position := range positions {
			_, ok := members[t.columns[position].name]
			isKey = isKey && ok
		}
		if !isKey {
			continue
		}
		s := t.newSource(false)
		var values []*ex
		for _, position := range positions {
			values = append(values, in.x(members[t.columns[position].name], s.handles[position]))
		}
		return rel{byKey(t, i, s, values), []side{in.side(at, s)}}
	}
	panic(buildErrorf("no key of %s", t.name))
}

func (in *interpreter) rows(shape, values []any) rel {
	s := &source{}
	columns := map[string]*ex{}
	var heads []rowColumn
	cells := make([][]*ex, len(values))
	for _, pair := range shape {
		name, typ := pair.([]any)[0].(string), pair.([]any)[1].(string)
		handle := &ex{op: "handle", name: name, typ: typ}
		head := rowColumn{name: name, typ: typ}
		for i, row := range values {
			cell := beside(row.(map[string]any)[name], handle)
			head.isNullable = head.isNullable || cell.isNull
			cells[i] = append(cells[i], cell)
		}
		handle.nullable = head.isNullable
		s.handles = append(s.handles, handle)
		heads = append(heads, head)
		columns[name] = handle
	}
	return rel{rowsQuery(s, heads, cells), []side{{columns, -1, nil}}}
}
