package svc

import (
	"regexp"
	"slices"
	"strings"
)

// A statement that writes, by a query of the rows.
type write struct {
	kind  string
	table *table
	input *query
	// Of at most one row.
	single cardinality
	err    error
}

// A query whose rows later statements read; a guard has a name.
type reading struct {
	query *query
	guard string
	// The table whose rows the query has, where they are those of several statements about it.
	table *table
}

const statementsMax = 1_000

// Write is a statement that writes; T is its result, R a row of its table.
type Write[T, R any] struct {
	*writing
	read func(d *decoder, value *T)
}

type writing struct {
	// Statements in order; nil in front of `last`.
	statements []any
	// *write, or a query over the statements.
	last  any
	table *table
	err   error
}

func writingOf(w *write) *writing {
	return &writing{statements: []any{w}, last: w, table: w.table, err: w.err}
}

// The answer to a statement that writes has an array of rows: all of them.
func writeMany[R any](of *writing, read func(d *decoder, row *R)) *Write[[]R, R] {
	return &Write[[]R, R]{of, readMany(read)}
}

// The only one, which must be there.
func writeOne[R any](of *writing, read func(d *decoder, row *R)) *Write[R, R] {
	return &Write[R, R]{of, func(d *decoder, row *R) {
		if readFirst(d, func() { read(d, row) }) || d.err != nil {
			return
		}
		d.err = buildErrorf("%s: the row that was inserted did not come back", of.table.name)
	}}
}

// The only one, if there is one.
func writeMaybe[R any](of *writing, read func(d *decoder, row *R)) *Write[Null[R], R] {
	return &Write[Null[R], R]{of, func(d *decoder, row *Null[R]) {
		row.OK = readFirst(d, func() { read(d, &row.V) })
	}}
}

// Whether there is a row.
func readFirst(d *decoder, read func()) bool {
	count := 0
	d.array(func() {
		if count++; count == 1 {
			read()
		} else {
			d.skip()
		}
	})
	return count > 0
}

// Which columns a new row gives: what has no default is always there, so that many rows have few texts.
func columnsGiven(t *table, row []*ex) []int {
	var columns []int
	for i, column := range t.columns {
		if row[i] != nil || !column.hasDefault {
			columns = append(columns, i)
		}
	}
	return columns
}

func rowsGiven(t *table, columns []int, given [][]*ex) (*query, error) {
	s := &source{}
	var heads []rowColumn
	for _, at := range columns {
		column := t.columns[at]
		s.handles = append(s.handles, &ex{op: "handle", name: column.name, typ: column.typ, nullable: column.isNullable})
		heads = append(heads, rowColumn{column.name, column.typ, column.isNullable})
	}
	cells := make([][]*ex, len(given))
	var err error
	for i, row := range given {
		cells[i] = make([]*ex, len(columns))
		for k, at := range columns {
			cell := row[at]
			if cell == nil {
				cell = nullEx(t.columns[at].typ)
			}
			if cell.isNull && !t.columns[at].isNullable {
				err = buildErrorf("%s.%s is missing, and takes no NULL", t.name, t.columns[at].name)
			}
			cells[i][k] = cell
		}
	}
	return rowsQuery(s, heads, cells), err
}

func insertOne(t *table, row []*ex) *writing {
	input, err := rowsGiven(t, columnsGiven(t, row), [][]*ex{row})
	return writingOf(&write{kind: "create", table: t, input: input, single: one, err: err})
}

// One create for each set of columns; in the order of the input where all rows have their keys.
func insertMany[R any](t *table, given [][]*ex, read func(d *decoder, row *R), keyOf func(row *R) []*ex) *Write[[]R, R] {
	made := writeMany(insertAll(t, given), read)
	places, ok := placesOf(t, given)
	if !ok {
		return made
	}
	readRows := made.read
	made.read = func(d *decoder, rows *[]R) {
		readRows(d, rows)
		order := make([]placed, len(*rows))
		for i := range *rows {
			order[i] = placed{i, places.of(keyOf(&(*rows)[i]))}
		}
		sortPlaced(order)
		inOrder := make([]R, len(*rows))
		for i := range order {
			inOrder[i] = (*rows)[order[i].from]
		}
		*rows = inOrder
	}
	return made
}

func insertAll(t *table, given [][]*ex) *writing {
	groups := map[string]int{}
	var sets [][]int
	var members [][][]*ex
	for _, row := range given {
		columns := columnsGiven(t, row)
		var key strings.Builder
		for _, at := range columns {
			key.WriteByte(byte(at))
			key.WriteByte(byte(at >> 8))
		}
		at, ok := groups[key.String()]
		if !ok {
			at = len(sets)
			groups[key.String()] = at
			sets = append(sets, columns)
			members = append(members, nil)
		}
		members[at] = append(members[at], row)
	}
	if len(sets) == 0 {
		sets = [][]int{columnsGiven(t, make([]*ex, len(t.columns)))}
		members = [][][]*ex{nil}
	}
	made := &writing{table: t}
	var all *query
	for i, columns := range sets {
		input, err := rowsGiven(t, columns, members[i])
		if err != nil {
			made.err = err
		}
		w := &write{kind: "create", table: t, input: input}
		made.statements = append(made.statements, w)
		rows := rowsOfWrite(w, t.newSource(false))
		if all == nil {
			made.last = w
			all = rows
		} else {
			all = all.beside("set", rows, queryParts{kind: "concatenate"})
			made.last = all
		}
	}
	return made
}

// Where rows stand in the input, by the text of their keys.
type places map[string]int

// Rows that nobody gave come last.
func (p places) of(key []*ex) int {
	if place, ok := p[keyText(key)]; ok {
		return place
	}
	return len(p)
}

// A row of an answer, and its place in the input.
type placed struct{ from, to int }

func sortPlaced(rows []placed) {
	slices.SortStableFunc(rows, func(a, b placed) int { return a.to - b.to })
}

func keyText(key []*ex) string {
	var text strings.Builder
	for _, value := range key {
		text.WriteString(value.text)
		text.WriteByte(0)
	}
	return text.String()
}

// False where some row leaves its key to the server.
func placesOf(t *table, given [][]*ex) (places, bool) {
	found := make(places, len(given))
	for i, row := range given {
		key := make([]*ex, len(t.keys[0]))
		for k, at := range t.keys[0] {
			if row[at] == nil {
				return nil, false
			}
			key[k] = row[at]
		}
		found[keyText(key)] = i
	}
	return found, true
}

func rowsOfWrite(w *write, s *source) *query { return rowsOfStatement(w.table, w, s) }

func rowsOfStatement(t *table, statement any, s *source) *query {
	return &query{op: "ref", queryParts: queryParts{table: t, source: s, statement: statement}}
}

// A row by key or unique index.
func byKey(t *table, key int, s *source, values []*ex) *query {
	handles := make([]*ex, len(values))
	for i, at := range t.keys[key] {
		handles[i] = s.handles[at]
	}
	q := scanQuery(t, s).where(equalities(handles, values))
	q.card, q.isSingle = maybe, true
	return q
}

// Keys of one column.
func byValues(t *table, s *source, keys []*ex) *query {
	cells := make([][]*ex, len(keys))
	for i := range keys {
		cells[i] = keys[i : i+1]
	}
	return byKeys(t, s, cells)
}

func byKeys(t *table, s *source, keys [][]*ex) *query {
	var fields []field
	for _, at := range t.keys[0] {
		fields = append(fields, field{name: t.columns[at].name, of: s.handles[at]})
	}
	return scanQuery(t, s).on("whereIn", queryParts{fields: fields, cells: keys})
}

// The scope that the assignments are about.
func sourceOf(t *table, sets []Assign) *source {
	for _, set := range sets {
		if set.column.op == "handle" && set.column.of != nil && len(set.column.of.handles) == len(t.columns) {
			return set.column.of
		}
	}
	return t.newSource(false)
}

// What is set, by the names of the columns; `own` is the scope that the columns must be of, nil where any of the table will do.
func assigned(t *table, own *source, sets []Assign, isKeySet bool) ([]field, error) {
	if len(sets) == 0 {
		return nil, buildErrorf("%s: nothing is set", t.name)
	}
	var fields []field
	for _, set := range sets {
		at := t.position(set.column.name)
		isColumn := set.column.op == "handle" && at >= 0 && set.column.of != nil &&
			len(set.column.of.handles) > at && set.column.of.handles[at] == set.column
		if !isColumn || own != nil && set.column.of != own {
			return nil, buildErrorf("%s has no column %q in this scope", t.name, set.column.name)
		}
		for _, key := range t.keys[0] {
			if key == at && !isKeySet {
				return nil, buildErrorf("%s.%s is of the key, which cannot be changed", t.name, set.column.name)
			}
		}
		fields = append(fields, field{name: set.column.name, of: set.value})
	}
	return fields, nil
}

func keyFields(t *table, s *source) []field {
	var fields []field
	for _, at := range t.keys[0] {
		fields = append(fields, field{name: t.columns[at].name, of: s.handles[at]})
	}
	return fields
}

func updateRows(t *table, q *query, s *source, sets []Assign, single cardinality) *writing {
	fields, err := assigned(t, s, sets, false)
	input := q.on("select", queryParts{fields: append(keyFields(t, s), fields...)})
	return writingOf(&write{kind: "update", table: t, input: input, single: single, err: err})
}

func writeFrom(kind string, t *table, from Source, sets []Assign) *writing {
	fields, err := assigned(t, nil, sets, true)
	return writingOf(&write{kind: kind, table: t, input: from.rowsOf().on("select", queryParts{fields: fields}), err: err})
}

func deleteRows(t *table, q *query, s *source, single cardinality) *writing {
	return writingOf(&write{kind: "delete", table: t, input: q.on("select", queryParts{fields: keyFields(t, s)}), single: single})
}

// Merge tells what Upsert does with rows that are there already.
type Merge[C any] struct {
	// The columns of the key, by name; the primary key without them.
	On []string
	// What becomes of a row that is there; all given columns without it.
	Set func(current, input C) []Assign
}

func upsertRows(t *table, given [][]*ex, on []string, set func(current, input *source) []Assign, updates bool) (statements []any, last any, err error) {
	primary := t.keys[0]
	key := primary
	if on != nil {
		key = nil
		for _, name := range on {
			at := t.position(name)
			if at < 0 {
				return nil, nil, buildErrorf("%s has no column %q: its keys are %s", t.name, name, t.keyNames())
			}
			key = append(key, at)
		}
		// Rows that have the same values elsewhere are several.
		if !t.isKey(key) {
			return nil, nil, buildErrorf("%s: [%s] is no key: its keys are %s", t.name, strings.Join(on, " "), t.keyNames())
		}
	}
	var columns []int
	place := make([]int, len(t.columns))
	for i, column := range t.columns {
		place[i] = -1
		count := 0
		for _, row := range given {
			if row[i] != nil {
				count++
			}
		}
		if column.hasDefault && count > 0 && count < len(given) {
			return nil, nil, buildErrorf("%s.%s has a default, and is given for some rows only: give it for all of them, or for none", t.name, column.name)
		}
		if count > 0 || !column.hasDefault {
			place[i] = len(columns)
			columns = append(columns, i)
		}
	}
	if len(given) == 0 {
		return nil, nil, buildErrorf("%s: no rows", t.name)
	}
	isKey := make([]bool, len(t.columns))
	for _, at := range primary {
		isKey[at] = true
	}
	for _, at := range key {
		if place[at] < 0 {
			return nil, nil, buildErrorf("%s: all columns of the key are wanted", t.name)
		}
		isKey[at] = true
	}
	seen := map[string]bool{}
	for _, row := range given {
		values := make([]*ex, len(key))
		for i, at := range key {
			if row[at] == nil || row[at].isNull {
				return nil, nil, buildErrorf("%s: all columns of the key are wanted", t.name)
			}
			values[i] = row[at]
		}
		if text := keyText(values); seen[text] {
			return nil, nil, buildErrorf("%s: two rows of one key", t.name)
		} else {
			seen[text] = true
		}
	}
	list, err := rowsGiven(t, columns, given)
	if err != nil {
		return nil, nil, err
	}
	input := &reading{query: list}
	inputRows := &query{op: "refQuery", queryParts: queryParts{statement: input}}
	// The input as a scope of the table; columns that nobody has given stand for nothing.
	there := &source{handles: make([]*ex, len(t.columns))}
	for i, column := range t.columns {
		if place[i] >= 0 {
			there.handles[i] = list.source.handles[place[i]]
		} else {
			there.handles[i] = &ex{op: "handle", name: column.name, typ: column.typ, nullable: column.isNullable}
		}
	}
	isSame := func(here, there *source) *ex {
		var left, right []*ex
		for _, at := range key {
			left = append(left, here.handles[at])
			right = append(right, there.handles[at])
		}
		return equalities(left, right)
	}
	current, other := t.newSource(false), t.newSource(false)
	var sets []Assign
	if set != nil {
		sets = set(current, there)
		for _, one := range sets {
			if at := t.position(one.column.name); at >= 0 && slices.Contains(key, at) {
				return nil, nil, buildErrorf("%s.%s is of the key, which cannot be changed", t.name, one.column.name)
			}
		}
	} else {
		for _, at := range columns {
			if isKey[at] {
				continue
			}
			count := 0
			for _, row := range given {
				if row[at] != nil {
					count++
				}
			}
			if updates && count > 0 && count < len(given) {
				return nil, nil, buildErrorf("%s.%s is given for some rows only: say what to set", t.name, t.columns[at].name)
			}
			// What no row gives is NULL in new rows, and stays as it is in those that are there.
			if count > 0 {
				sets = append(sets, Assign{current.handles[at], there.handles[at]})
			}
		}
	}
	fresh := inputRows.where(notEx(existsEx(scanQuery(t, other).where(isSame(there, other)))))
	created := &write{kind: "create", table: t, input: fresh.on("all", queryParts{})}
	if !updates {
		return []any{input, created}, created, nil
	}
	fields, err := assigned(t, current, sets, false)
	if err != nil {
		return nil, nil, err
	}
	joined := inputRows.beside("join", scanQuery(t, current), queryParts{kind: "inner", on: isSame(there, current)})
	updated := &write{kind: "update", table: t, input: joined.on("select", queryParts{fields: append(keyFields(t, current), fields...)})}
	both := rowsOfWrite(updated, t.newSource(false)).beside("set", rowsOfWrite(created, t.newSource(false)), queryParts{kind: "concatenate"})
	return []any{input, updated, created}, both, nil
}

func upsert(t *table, given [][]*ex, on []string, set func(current, input *source) []Assign, updates bool) *writing {
	statements, last, err := upsertRows(t, given, on, set, updates)
	return &writing{statements, last, t, err}
}

// How columns of a table are merged, by its sources.
func merged[C any](set func(current, input C) []Assign, columnsOf func(s *source) C) func(current, input *source) []Assign {
	if set == nil {
		return nil
	}
	return func(current, input *source) []Assign { return set(columnsOf(current), columnsOf(input)) }
}

// Program is statements in order: atomic, one round trip.
type Program struct {
	statements []any
	err        error
}

// NewProgram is a program without statements.
func NewProgram() *Program { return &Program{} }

func (p *Program) add(statements ...any) {
	for _, statement := range statements {
		if slices.Contains(p.statements, statement) {
			p.fail(buildErrorf("a statement stands in a program once: make another one like it"))
		}
	}
	p.statements = append(p.statements, statements...)
	if len(p.statements) > statementsMax {
		p.fail(buildErrorf("a program of more than %d statements", statementsMax))
	}
}

func (p *Program) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// Done is a statement of a program: T is its result, R a row of its table.
type Done[T, R any] struct {
	last any
	read func(d *decoder, value *T)
}

// Do adds a statement to the program.
func Do[T, R any](p *Program, statement *Write[T, R]) *Done[T, R] {
	if statement.err != nil {
		p.fail(statement.err)
	}
	p.add(statement.statements...)
	last := statement.last
	if rows, ok := last.(*query); ok {
		// What several statements have written is a statement too.
		last = &reading{query: rows, table: statement.table}
		p.add(last)
	}
	return &Done[T, R]{last: last, read: statement.read}
}

func (h *Done[T, R]) rowsOf() *query { return h.rowsAs(nil, nil) }

func (h *Done[T, R]) lastStatement() any { return h.last }

func (h *Done[T, R]) readStatement(d *decoder, value *T) { h.read(d, value) }

func (h *Done[T, R]) part() part[T] {
	q := h.rowsOf()
	if w, ok := h.last.(*write); ok && w.single != many {
		return part[T]{nested: q.as(maybe), read: func(d *decoder, value *T) {
			readAlone(d, func(inner *decoder) { h.read(inner, value) })
		}}
	}
	return part[T]{nested: q, read: h.read}
}

// A single row that stands beside other results comes alone, not in an array.
func readAlone(d *decoder, read func(inner *decoder)) {
	d.peek()
	start := d.at
	text := d.skip()
	if d.err != nil {
		return
	}
	list := append(append([]byte{'['}, text...), ']')
	if string(text) == "null" {
		list = []byte("[]")
	}
	inner := &decoder{input: list, column: d.column}
	read(inner)
	if inner.err != nil {
		d.at, d.err = start, inner.err
	}
}

// DoneOf is a statement of a program about a table whose rows are R.
type DoneOf[R any] interface {
	rowsAs(s *source, ofType *R) *query
}

// The rows of a statement for a scope of its table, a new one without it.
func (h *Done[T, R]) rowsAs(s *source, _ *R) *query {
	return rowsOfLast(h.last, s)
}

func rowsOfLast(last any, s *source) *query {
	var t *table
	switch last := last.(type) {
	case *write:
		t = last.table
	case *reading:
		t = last.table
	default:
		bad := oneRow()
		bad.err = buildErrorf("a statement comes from Do")
		return bad
	}
	if s == nil {
		s = t.newSource(false)
	}
	return rowsOfStatement(t, last, s)
}

var guardPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,57}$`)

// Held is what Ensure looks at: rows that must be there, or a test that must be TRUE.
type Held interface{ held() *query }

func (q *Query[R]) held() *query { return q.q }

func (q *Maybe[R]) held() *query { return q.q }

func (j Joined) held() *query { return j.q }

func (h *Done[T, R]) held() *query { return h.rowsOf() }

// Ensure undoes the program, with ErrEnsure, where there is no row, or the test is not TRUE.
func (p *Program) Ensure(name string, held Held) {
	if !guardPattern.MatchString(name) {
		p.fail(buildErrorf("%q is no name of a guard", name))
		return
	}
	count := foldEx("count", nil, intType)
	counted := held.held().on("group", queryParts{folds: []field{{name: "n", of: count}}, isFold: true})
	counted.card, counted.isSingle = one, true
	// A division by zero where there is nothing, which undoes the program.
	quotient := binaryEx("div", intCodec.literal(1), count, intType)
	p.add(&reading{query: counted.on("select", queryParts{fields: []field{{name: "held", of: quotient}}}), guard: name})
}
