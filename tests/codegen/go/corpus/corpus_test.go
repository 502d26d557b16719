package db

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
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
func merged(sides []side) []side {
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
			return rel{&query{op: "refQuery", queryParts: queryParts{statement: done}}, merged(m.rel.sides)}
		}
		s := done.table.newSource(false)
		return rel{rowsOfStatement(done.table, done, s), []side{in.side(in.table(done.table.name), s)}}
	}
	if _, last, ok := m.scope.statement(m.tree.([]any)); ok {
		return m.scope.rowsOf(meaning{done: last})
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
		return rel{r.q.slice(number(get(2), head), -1), r.sides}, true
	case "offset":
		r := q(1)
		return rel{r.q.slice(-1, number(get(2), head)), r.sides}, true
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
		return rel{left.q.beside("set", right.q, queryParts{kind: kind, isAll: isAll}), merged(left.sides)}, true
	case "distinct", "shared":
		r := q(1)
		sides := r.sides
		if head == "shared" || !r.q.isExplicit() {
			sides = merged(r.sides)
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
		known := rel{self, merged(anchor.sides)}
		step, _ := in.named("self", meaning{rel: &known}).tryQuery(get(2).([]any))
		next := anchor.q.beside("recursive", step.q, queryParts{self: self, kind: get(3).(string)})
		return rel{next, merged(anchor.sides)}, true
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
		t := in.tables[r.Table]
		s := t.newSource(false)
		if r.BetweenOwn != nil {
			q := relatedThrough(t, s, r.Theirs, from.source, r.Own, in.tables[r.Between], r.BetweenOwn, r.Other)
			return rel{q, []side{in.side(r.Table, s)}}
		}
		card := map[string]cardinality{"one": one, "maybe": maybe, "many": many}[r.Kind]
		return rel{related(t, s, r.Theirs, from.source, r.Own, card), []side{in.side(r.Table, s)}}
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

func (in *interpreter) e(tree []any) *ex {
	get := func(i int) any {
		if i < len(tree) {
			return tree[i]
		}
		return nil
	}
	of := func() *ex { return in.x(get(1), nil) }
	nested := func() rel {
		r, ok := in.tryQuery(get(1).([]any))
		if !ok {
			panic(buildErrorf("a query is wanted"))
		}
		return r
	}
	text := func(i int) string { s, _ := get(i).(string); return s }
	isFolded, _ := get(3).(bool)
	head := tree[0].(string)
	switch head {
	case "col":
		at, up := 0, 0
		if get(2) != nil {
			at = number(get(2), head)
		}
		if get(3) != nil {
			up = number(get(3), head)
		}
		e := in.frames[up][at].columns[text(1)]
		if e == nil {
			panic(buildErrorf("no column %s", text(1)))
		}
		return e
	case "lit":
		return beside(get(2), &ex{typ: text(1)})
	case "eq", "ne", "lt", "lte", "gt", "gte":
		left := of()
		if get(2) == nil {
			panic(buildErrorf("nothing equals NULL"))
		}
		return compareEx(head, left, in.x(get(2), left))
	case "same":
		left := of()
		if get(2) == nil {
			return testEx("is_null", left)
		}
		return sameEx(left, in.x(get(2), left))
	case "between":
		value := of()
		return allOf([]*ex{compareEx("gte", value, in.x(get(2), value)), compareEx("lte", value, in.x(get(3), value))})
	case "in":
		value := of()
		values := []*ex{}
		for _, v := range get(2).([]any) {
			values = append(values, beside(v, value))
		}
		return inEx(value, values)
	case "and", "or":
		left := of()
		return compareEx(head, left, in.x(get(2), left))
	case "not":
		return notEx(of())
	case "isNull":
		return testEx("is_null", of())
	case "isNotNull":
		return testEx("is_not_null", of())
	case "add", "sub", "mul", "div":
		left := of()
		return binaryEx(head, left, in.x(get(2), left), left.typ)
	case "neg":
		value := of()
		return &ex{op: "unary", name: "negate", args: []*ex{value}, typ: value.typ, nullable: value.nullable}
	case "int":
		return castEx(of(), intType)
	case "float":
		return castEx(of(), floatType)
	case "orElse":
		left := of()
		return orElseEx(left, in.x(get(2), left))
	case "match":
		return patternEx(of(), text(2), isFolded)
	case "startsWith":
		return matchEx(of(), false, text(2), true, isFolded)
	case "endsWith":
		return matchEx(of(), true, text(2), false, isFolded)
	case "contains":
		return matchEx(of(), true, text(2), true, isFolded)
	case "when":
		return in.when(get(1).([]any), get(2))
	case "exists":
		return existsEx(nested().q)
	case "value":
		r := nested()
		value := in.within(r.sides).x(get(2), nil)
		return scalarEx(r.q, value, value.typ)
	case "count":
		if get(1) == nil {
			return foldEx("count", nil, intType)
		}
		return countEx(nested().q)
	case "sum", "min", "max":
		value := of()
		return foldEx(head, value, value.typ)
	case "avg":
		return foldEx(head, of(), floatType)
	case "let":
		return in.let(tree).e(get(3).([]any))
	case "use":
		m := in.names[text(1)]
		return m.scope.e(m.tree.([]any))
	}
	panic(fmt.Sprint(head, " is not of the grammar"))
}

func (in *interpreter) when(arms []any, otherwise any) *ex {
	results := []any{}
	for _, arm := range arms {
		results = append(results, arm.([]any)[1])
	}
	results = append(results, otherwise)
	var like *ex
	for _, result := range results {
		if isTree(result) {
			like = in.e(result.([]any))
			break
		}
	}
	for _, result := range results {
		if like != nil {
			break
		}
		switch v := result.(type) {
		case string:
			like = &ex{typ: textType}
		case bool:
			like = &ex{typ: boolType}
		case json.Number:
			like = &ex{typ: intType}
			if _, err := v.Int64(); err != nil {
				like.typ = floatType
			}
		}
	}
	branch := &ex{op: "branch", typ: like.typ, format: like.format}
	for i, result := range results {
		value := in.x(result, like)
		branch.nullable = branch.nullable || value.nullable
		if i < len(arms) {
			branch.args = append(branch.args, in.x(arms[i].([]any)[0], nil))
		}
		branch.args = append(branch.args, value)
	}
	return branch
}

func (in *interpreter) cells(t *table, row any) []*ex {
	cells := make([]*ex, len(t.columns))
	for name, v := range row.(map[string]any) {
		at := t.position(name)
		if at < 0 {
			panic(buildErrorf("no column %s", name))
		}
		cells[at] = beside(v, &ex{typ: t.columns[at].typ, format: t.columns[at].format})
	}
	return cells
}

func (in *interpreter) assigns(t *table, s *source, pairs any) []Assign {
	var sets []Assign
	for _, pair := range pairs.([]any) {
		name := pair.([]any)[0].(string)
		at := t.position(name)
		if at < 0 {
			panic(buildErrorf("no column %s", name))
		}
		sets = append(sets, Assign{s.handles[at], in.x(pair.([]any)[1], s.handles[at])})
	}
	return sets
}

// The statements, and the one whose result is asked for; false for what is no statement.
func (in *interpreter) statement(tree []any) (statements []any, last any, isStatement bool) {
	get := func(i int) any {
		if i < len(tree) {
			return tree[i]
		}
		return nil
	}
	var t *table
	at := -1
	if name, ok := get(1).(string); ok && tree[0] != "rel" && tree[0] != "use" && tree[0] != "let" {
		for i, each := range in.tables {
			if each.name == name {
				t, at = each, i
			}
		}
	}
	single := func(w *write) ([]any, any, bool) {
		if w.err != nil {
			panic(w.err)
		}
		return []any{w}, w, true
	}
	rows := func() [][]*ex {
		all := [][]*ex{}
		for _, row := range get(2).([]any) {
			all = append(all, in.cells(t, row))
		}
		return all
	}
	switch tree[0] {
	case "insert":
		w := insertOne(t, in.cells(t, get(2)), func(*decoder, *int) {})
		return w.statements, w.last, w.err == nil || in.fail(w.err)
	case "insertMany":
		w := insertMany(t, rows(), func(*decoder, *int) {}, func(*int) []*ex { return nil })
		return w.statements, w.last, w.err == nil || in.fail(w.err)
	case "insertFrom", "updateFrom":
		from, _ := in.tryQuery(get(2).([]any))
		kind := map[any]string{"insertFrom": "create", "updateFrom": "update"}[tree[0]]
		return single(writeFrom(kind, t, Joined{from.q}, in.within(from.sides).assigns(t, t.newSource(false), get(3))))
	case "insertIgnore", "upsert":
		merge := Merge[*source]{}
		if names, ok := get(3).([]any); ok {
			for _, name := range names {
				merge.On = append(merge.On, name.(string))
			}
		}
		if set, ok := get(4).([]any); ok {
			merge.Set = func(current, input *source) []Assign {
				if len(set) > 0 && isTree(set[0]) {
					return in.within([]side{in.side(at, current), in.side(at, input)}).assigns(t, current, set)
				}
				var sets []Assign
				for i, column := range t.columns {
					for _, name := range set {
						if name == column.name {
							sets = append(sets, Assign{current.handles[i], input.handles[i]})
						}
					}
				}
				return sets
			}
		}
		statements, last, err := upsertRows(t, rows(), merge, func(s *source) *source { return s }, tree[0] == "upsert")
		return statements, last, err == nil || in.fail(err)
	case "update":
		r := in.byKey(at, get(2))
		return single(updateRows(t, r.q, r.sides[0].source, in.within(r.sides).assigns(t, r.sides[0].source, get(3)), maybe))
	case "updateWhere":
		r, s := in.scan(at)
		here := in.within(r.sides)
		return single(updateRows(t, r.q.where(here.x(get(2), nil)), s, here.assigns(t, s, get(3)), many))
	case "delete":
		r := in.byKey(at, get(2))
		return single(deleteRows(t, r.q, r.sides[0].source, maybe))
	case "deleteWhere":
		r, s := in.scan(at)
		return single(deleteRows(t, r.q.where(in.within(r.sides).x(get(2), nil)), s, many))
	}
	return nil, nil, false
}

func (in *interpreter) fail(err error) bool { panic(err) }

// A query over results.
func (in *interpreter) results(pairs any) *query {
	return oneRow().on("select", queryParts{fields: in.fields(pairs)})
}

func (in *interpreter) compile(tree []any) (*compiled, error) {
	switch tree[0] {
	case "all":
		return compileQuery(in.results(tree[1]))
	case "let":
		return in.let(tree).compile(tree[3].([]any))
	case "program":
		return in.program(tree)
	case "page":
		r, _ := in.tryQuery(tree[1].([]any))
		given := tree[2].(map[string]any)
		options := PageOptions{Size: number(given["size"], "size")}
		options.After, _ = given["after"].(string)
		options.Before, _ = given["before"].(string)
		c, _, _, err := compilePage(r.q, options)
		return c, err
	}
	if statements, last, ok := in.statement(tree); ok {
		return compileProgram(statements, last)
	}
	if r, ok := in.tryQuery(tree); ok {
		return compileQuery(r.q)
	}
	return compileQuery(valueQuery(in.e(tree)))
}

func (in *interpreter) program(tree []any) (*compiled, error) {
	p := NewProgram()
	here := in
	for _, each := range tree[1].([]any) {
		step := each.([]any)
		name, what := step[1].(string), step[2].([]any)
		switch step[0] {
		case "do":
			statements, last, _ := here.statement(what)
			p.add(statements...)
			if rows, ok := last.(*query); ok {
				last = &reading{query: rows, table: in.tables[in.table(what[1])]}
				p.add(last)
			}
			here = here.named(name, meaning{done: last})
		case "query":
			r, _ := here.tryQuery(what)
			reading := &reading{query: r.q}
			p.add(reading)
			here = here.named(name, meaning{done: reading, rel: &r})
		case "ensure":
			if m, ok := here.names[fmt.Sprint(what[1])]; ok && what[0] == "use" && m.done != nil {
				p.Ensure(name, Joined{here.rowsOf(m).q})
			} else if r, ok := here.tryQuery(what); ok {
				p.Ensure(name, Joined{r.q})
			} else {
				p.Ensure(name, newBool[bool](here.e(what), boolCodec.read))
			}
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	result, _ := tree[2].([]any)
	if result == nil {
		return compileProgram(p.statements, nil)
	}
	if result[0] == "use" {
		if m := here.names[result[1].(string)]; m.done != nil {
			return compileProgram(p.statements, m.done)
		}
	}
	if result[0] == "all" {
		return compileProgram(p.statements, here.results(result[1]))
	}
	if r, ok := here.tryQuery(result); ok {
		return compileProgram(p.statements, r.q)
	}
	return compileProgram(p.statements, here.e(result))
}

func (in *interpreter) text(tree []any) (text string, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			wrong, ok := thrown.(*BuildError)
			if !ok {
				panic(thrown)
			}
			err = wrong
		}
	}()
	c, err := in.compile(tree)
	if err != nil {
		return "", err
	}
	return string(c.body), nil
}

func TestCorpus(t *testing.T) {
	input, err := os.ReadFile(os.Getenv("SVC_TEST_CORPUS"))
	if err != nil {
		t.Fatal(err)
	}
	var corpus struct {
		Tables []corpusTable
		Cases  []struct {
			Name  string
			Build []any
			Text  *string
		}
	}
	reader := json.NewDecoder(bytes.NewReader(input))
	reader.UseNumber()
	if err := reader.Decode(&corpus); err != nil {
		t.Fatal(err)
	}
	in := &interpreter{names: map[string]meaning{}}
	for _, given := range corpus.Tables {
		own := &table{name: given.Name, keys: given.Keys}
		for _, column := range given.Columns {
			own.columns = append(own.columns, tableColumn{column.Name, column.Type, column.Format, column.Nullable, column.Default})
		}
		in.tables = append(in.tables, own)
		in.relations = append(in.relations, given.Relations)
	}
	for _, c := range corpus.Cases {
		t.Run(c.Name, func(t *testing.T) {
			defer func() {
				if thrown := recover(); thrown != nil {
					t.Errorf("%v", thrown)
				}
			}()
			text, err := in.text(c.Build)
			switch {
			case c.Text == nil && err == nil:
				t.Errorf("it is not refused: %s", text)
			case c.Text != nil && err != nil:
				t.Error(err)
			case c.Text != nil && text != *c.Text:
				t.Errorf("got\n%s\nwant\n%s", text, *c.Text)
			}
		})
	}
	fmt.Println("cases:", len(corpus.Cases))
}
