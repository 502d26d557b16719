package svc

// Source is rows to select from: a query, a scope of a table, a join, a list.
type Source interface{ rowsOf() *query }

// Query is a query of many rows R. Queries never change: each step gives another one.
type Query[R any] struct {
	q    *query
	read func(d *decoder, row *R)
}

// Maybe is a query of one row, or none.
type Maybe[R any] struct {
	q    *query
	read func(d *decoder, row *R)
}

// One is a query of exactly one row.
type One[R any] struct {
	q    *query
	read func(d *decoder, row *R)
}

// Generated scopes embed these under names that no column has.
type (
	rows[R any]     = Query[R]
	maybeRow[R any] = Maybe[R]
	oneRowOf[R any] = One[R]
)

func predicateOf(tests []Predicate) *ex {
	all := make([]*ex, len(tests))
	for i, test := range tests {
		all[i] = test.predicate()
	}
	return allOf(all)
}

func termsOf(given []Term) []term {
	terms := make([]term, len(given))
	for i, one := range given {
		terms[i] = one.term()
	}
	return terms
}

func whereAll(q *query, tests []Predicate) *query {
	if len(tests) == 0 {
		return q
	}
	return q.where(predicateOf(tests))
}

func (q *Query[R]) rowsOf() *query { return q.q }

func (q *Maybe[R]) rowsOf() *query { return q.q }

func (q *One[R]) rowsOf() *query { return q.q }

// Query is the query itself, also of a scope.
func (q *Query[R]) Query() *Query[R] { return q }

// Where keeps the rows for which all tests are TRUE.
func (q *Query[R]) Where(tests ...Predicate) *Query[R] {
	return &Query[R]{whereAll(q.q, tests), q.read}
}

// Where gives no row where a test is not TRUE.
func (q *Maybe[R]) Where(tests ...Predicate) *Maybe[R] {
	return &Maybe[R]{whereAll(q.q, tests), q.read}
}

// Where gives no row where a test is not TRUE.
func (q *One[R]) Where(tests ...Predicate) *Maybe[R] {
	return &Maybe[R]{whereAll(q.q, tests).as(maybe), q.read}
}

// OrderBy orders the rows; an expression is its ascending order.
func (q *Query[R]) OrderBy(terms ...Term) *Query[R] {
	return &Query[R]{q.q.order(termsOf(terms)), q.read}
}

// Limit is at most so many rows.
func (q *Query[R]) Limit(count int) *Query[R] { return &Query[R]{q.q.slice(count, unsaid), q.read} }

// Offset leaves out so many rows.
func (q *Query[R]) Offset(count int) *Query[R] { return &Query[R]{q.q.slice(unsaid, count), q.read} }

// Named gives the statement a name, for logs and spans.
func (q *Query[R]) Named(name string) *Query[R] { return &Query[R]{q.q.named(name), q.read} }

// Named gives the statement a name, for logs and spans.
func (q *Maybe[R]) Named(name string) *Maybe[R] { return &Maybe[R]{q.q.named(name), q.read} }

// Named gives the statement a name, for logs and spans.
func (q *One[R]) Named(name string) *One[R] { return &One[R]{q.q.named(name), q.read} }

// Maybe is the first row, or none.
func (q *Query[R]) Maybe() *Maybe[R] { return &Maybe[R]{q.q.as(maybe), q.read} }

// Only is the only row: none, or several, are an error.
func (q *Query[R]) Only() *One[R] { return &One[R]{q.q.as(one), q.read} }

// Only is the row: none is an error.
func (q *Maybe[R]) Only() *One[R] { return &One[R]{q.q.as(one), q.read} }

// Exists is TRUE where there is a row.
func (q *Query[R]) Exists() *BoolExpr { return &BoolExpr{existsEx(q.q)} }

// Exists is TRUE where there is the row.
func (q *Maybe[R]) Exists() *BoolExpr { return &BoolExpr{existsEx(q.q)} }

// CountExpr is how many rows there are, as an expression.
func (q *Query[R]) CountExpr() *SoftExpr {
	return &SoftExpr{countEx(q.q)}
}

// ValueOf is a value of the first row; NULL without rows.
func ValueOf[N any](of Source, value OrNull[N]) N {
	e := value.ref()
	return value.orNull(scalarEx(of.rowsOf(), e, e.typ))
}

func (q *Query[R]) part() part[[]R] { return part[[]R]{nested: q.q, read: readMany(q.read)} }

func (q *Maybe[R]) part() part[Null[R]] { return part[Null[R]]{nested: q.q, read: readMaybe(q.read)} }

func (q *One[R]) part() part[R] { return part[R]{nested: q.q, read: readOne(q.read)} }

func readMany[R any](read func(d *decoder, row *R)) func(d *decoder, all *[]R) {
	return func(d *decoder, all *[]R) {
		*all = []R{}
		for i := 0; d.element(i); i++ {
			var row R
			read(d, &row)
			*all = append(*all, row)
		}
	}
}

func readMaybe[R any](read func(d *decoder, row *R)) func(d *decoder, row *Null[R]) {
	return func(d *decoder, row *Null[R]) {
		*row = Null[R]{}
		if !d.null() {
			row.OK = true
			read(d, &row.V)
		}
	}
}

func readOne[R any](read func(d *decoder, row *R)) func(d *decoder, row *R) {
	return func(d *decoder, row *R) {
		if d.null() && d.err == nil {
			d.err = errNoRow
			return
		}
		read(d, row)
	}
}

// Field says where a value goes in a struct R.
type Field[R any] struct {
	fields []field
	read   func(d *decoder, row *R, i int)
}

// Into selects an expression, or nested rows, under a name, for a field of R.
func Into[R, T any](name string, of Part[T], at func(row *R) *T) Field[R] {
	p := of.part()
	return Field[R]{[]field{{name, p.of, p.nested}}, func(d *decoder, row *R, _ int) { p.read(d, at(row)) }}
}

// All columns of a scope, into a row of its table within R.
func intoAll[R, X any](t *table, handles []*ex, at func(row *R) *X, read func(d *decoder, row *X, i int)) Field[R] {
	fields := make([]field, len(handles))
	for i, handle := range handles {
		fields[i] = field{name: t.columns[i].name, of: handle}
	}
	return Field[R]{fields, func(d *decoder, row *R, i int) { read(d, at(row), i) }}
}

func fieldsOf[R any](given []Field[R]) ([]field, func(d *decoder, row *R)) {
	var all []field
	var names []string
	type place struct{ of, at int }
	var places []place
	for i, one := range given {
		for at, f := range one.fields {
			all = append(all, f)
			names = append(names, f.name)
			places = append(places, place{i, at})
		}
	}
	return all, func(d *decoder, row *R) {
		d.row(names, func(i int) { given[places[i].of].read(d, row, places[i].at) })
	}
}

// Select is rows of R, made of the fields.
func Select[R any](of Source, fields ...Field[R]) *Query[R] {
	all, read := fieldsOf(fields)
	selected := of.rowsOf().on("select", queryParts{fields: all})
	selected.card = many
	return &Query[R]{selected, read}
}

// SelectMaybe is Select of one row, or none.
func SelectMaybe[R, X any](of interface{ asMaybe() *Maybe[X] }, fields ...Field[R]) *Maybe[R] {
	all, read := fieldsOf(fields)
	return &Maybe[R]{of.asMaybe().q.on("select", queryParts{fields: all}), read}
}

// SelectOne is Select of exactly one row.
func SelectOne[R, X any](of interface{ asOne() *One[X] }, fields ...Field[R]) *One[R] {
	all, read := fieldsOf(fields)
	return &One[R]{of.asOne().q.on("select", queryParts{fields: all}), read}
}

func (q *Maybe[R]) asMaybe() *Maybe[R] { return q }

func (q *One[R]) asOne() *One[R] { return q }

// Results are several results beside each other: one round trip, one snapshot. Their parts are queries, expressions and what a program has done.
func Results[R any](fields ...Field[R]) *One[R] {
	all, read := fieldsOf(fields)
	return &One[R]{oneRow().on("select", queryParts{fields: all}), read}
}

// Joined is rows of several sides; Select or Group says what is wanted of them.
type Joined struct{ q *query }

func (j Joined) rowsOf() *query { return j.q }

// Where keeps the rows for which all tests are TRUE.
func (j Joined) Where(tests ...Predicate) Joined { return Joined{whereAll(j.q, tests)} }

// OrderBy orders the rows.
func (j Joined) OrderBy(terms ...Term) Joined { return Joined{j.q.order(termsOf(terms))} }

// Limit is at most so many rows.
func (j Joined) Limit(count int) Joined { return Joined{j.q.slice(count, unsaid)} }

// Offset leaves out so many rows.
func (j Joined) Offset(count int) Joined { return Joined{j.q.slice(unsaid, count)} }

// Exists is TRUE where there is a row.
func (j Joined) Exists() *BoolExpr { return &BoolExpr{existsEx(j.q)} }

// CountExpr is how many rows there are, as an expression.
func (j Joined) CountExpr() *SoftExpr {
	return &SoftExpr{countEx(j.q)}
}

// Join is the pairs of rows for which the test is TRUE. A join is a side too.
func Join(left, right Source, on Predicate) Joined {
	return Joined{left.rowsOf().beside("join", right.rowsOf(), queryParts{kind: "inner", on: on.predicate()})}
}

// Outer is rows whose columns can all be NULL: AsOuter gives them.
type Outer interface {
	Source
	isOuter()
}

// LeftJoin is Join with the rows of the left side that have no partner, too; then the right side's columns are NULL.
func LeftJoin(left Source, right Outer, on Predicate) Joined {
	return Joined{left.rowsOf().beside("join", right.rowsOf(), queryParts{kind: "left", on: on.predicate()})}
}

// Rows of a side that may have no partner.
type outerRows struct{ q *query }

func (o outerRows) rowsOf() *query { return o.q }

func (o outerRows) isOuter() {}

// Where keeps the rows for which all tests are TRUE, before they are joined.
func (o outerRows) Where(tests ...Predicate) Outer { return outerRows{whereAll(o.q, tests)} }

// Group is one row for each set of the fields that are no Count, Sum, Avg, Min or Max.
func Group[R any](of Source, fields ...Field[R]) *Query[R] {
	return &Query[R]{grouped(of, fields, false), readerOf(fields)}
}

// Fold is one row of Count, Sum, Avg, Min and Max over all rows.
func Fold[R any](of Source, fields ...Field[R]) *One[R] {
	return &One[R]{grouped(of, fields, true), readerOf(fields)}
}

func readerOf[R any](fields []Field[R]) func(d *decoder, row *R) {
	_, read := fieldsOf(fields)
	return read
}

func grouped[R any](of Source, fields []Field[R], isFold bool) *query {
	all, _ := fieldsOf(fields)
	parts := queryParts{isFold: isFold}
	var err error
	for _, one := range all {
		switch {
		case one.of != nil && one.of.op == "fold":
			parts.folds = append(parts.folds, one)
		case one.of == nil || isFold:
			err = buildErrorf("%s is no Count, Sum, Avg, Min or Max", one.name)
		default:
			parts.fields = append(parts.fields, one)
		}
	}
	next := of.rowsOf().on("group", parts)
	next.card, next.isSingle = many, isFold
	if isFold {
		next.card = one
	}
	if next.err == nil && err != nil {
		next.err = err
	}
	return next
}

// Rows is a query of rows R, or a scope of a table.
type Rows[R any] interface{ Query() *Query[R] }

func stepOn[R any](of Rows[R], op string) *Query[R] {
	q := of.Query()
	return &Query[R]{q.q.on(op, queryParts{}), q.read}
}

// Distinct leaves out rows that are there already.
func Distinct[R any](of Rows[R]) *Query[R] { return stepOn(of, "distinct") }

// Shared is made once, however often it stands in one operation. From of a table gives its rows columns of their own for each time.
func Shared[R any](of Rows[R]) *Query[R] { return stepOn(of, "shared") }

func setOf[R any](left, right Rows[R], kind string, isAll bool) *Query[R] {
	q := left.Query()
	return &Query[R]{q.q.beside("set", right.Query().q, queryParts{kind: kind, isAll: isAll}), q.read}
}

// Union is the rows of both, those that are in both too. Above it, the columns of the left side name the columns.
func Union[R any](left, right Rows[R]) *Query[R] { return setOf(left, right, "concatenate", false) }

// Intersect is the rows that are in both, each once.
func Intersect[R any](left, right Rows[R]) *Query[R] { return setOf(left, right, "intersect", false) }

// IntersectAll is the rows that are in both, as often as in both.
func IntersectAll[R any](left, right Rows[R]) *Query[R] { return setOf(left, right, "intersect", true) }

// Except is the rows of the left side that are not in the right one, each once.
func Except[R any](left, right Rows[R]) *Query[R] { return setOf(left, right, "except", false) }

// ExceptAll is the rows of the left side less those of the right one, one for one.
func ExceptAll[R any](left, right Rows[R]) *Query[R] { return setOf(left, right, "except", true) }

// WhereIn keeps the rows whose value is one of these: a look-up for each where there is an index.
func WhereIn[R, T any](of Rows[R], value Expr[T], values []T) *Query[R] {
	cells := make([][]*ex, len(values))
	for i, each := range value.values().literals(values) {
		cells[i] = []*ex{each}
	}
	q := of.Query()
	return &Query[R]{q.q.whereIn(queryParts{fields: []field{{name: "v", of: value.ref()}}, cells: cells}), q.read}
}

// Accumulation tells what a recursion does with rows that it has had.
type Accumulation string

const (
	// NewRows takes no row twice: the recursion ends when nothing new comes.
	NewRows Accumulation = "new"
	// AllRows takes every row.
	AllRows Accumulation = "all"
)

// Recursive is the rows of the anchor, and what the step makes of the rows of the round before, until there are no more. In the step, and above, the
// fields of the anchor name the columns.
func Recursive[R any](anchor *Query[R], step func(self *Query[R]) *Query[R], accumulation Accumulation) *Query[R] {
	self := &query{op: "self", inputs: []*query{anchor.q}}
	next := step(&Query[R]{self, anchor.read})
	q := anchor.q.beside("recursive", next.q, queryParts{self: self, kind: string(accumulation)})
	return &Query[R]{q, anchor.read}
}

// ListColumn is a column of a List.
type ListColumn interface {
	listColumn() (*ex, rowColumn, []*ex)
}

type listOf[V any] struct {
	// The column in expressions.
	Value V
	e     *ex
	cells []*ex
}

func (l *listOf[V]) listColumn() (*ex, rowColumn, []*ex) {
	return l.e, rowColumn{name: l.e.name, typ: l.e.typ}, l.cells
}

func newList[V any](name, typ string, cells []*ex, make func(e *ex) V) *listOf[V] {
	e := &ex{op: "handle", name: name, typ: typ}
	return &listOf[V]{make(e), e, cells}
}

// IntList is a column of values that the program brings.
func IntList(name string, values ...int64) *listOf[*IntExpr] {
	return newList(name, intType, intCodec.literals(values), func(e *ex) *IntExpr { return &IntExpr{e} })
}

// FloatList is a column of values that the program brings.
func FloatList(name string, values ...float64) *listOf[*FloatExpr] {
	return newList(name, floatType, floatCodec.literals(values), func(e *ex) *FloatExpr { return &FloatExpr{e} })
}

// TextList is a column of values that the program brings.
func TextList(name string, values ...string) *listOf[*TextExpr] {
	return newList(name, textType, textCodec.literals(values), func(e *ex) *TextExpr { return &TextExpr{e} })
}

// UUIDList is a column of values that the program brings.
func UUIDList(name string, values ...UUID) *listOf[*UUIDExpr] {
	return newList(name, bytesType, uuidCodec.literals(values), func(e *ex) *UUIDExpr { return &UUIDExpr{e} })
}

// List is rows that the program brings, all columns of one length; to join with.
func List(columns ...ListColumn) Joined {
	s := &source{}
	var heads []rowColumn
	var cells [][]*ex
	var err error
	for i, column := range columns {
		e, head, values := column.listColumn()
		s.handles = append(s.handles, e)
		heads = append(heads, head)
		if i == 0 {
			cells = make([][]*ex, len(values))
		}
		if len(values) != len(cells) {
			err = buildErrorf("columns of a list have one length: %d, not %d", len(cells), len(values))
			break
		}
		for k, value := range values {
			cells[k] = append(cells[k], value)
		}
	}
	q := rowsQuery(s, heads, cells)
	q.err = err
	if len(columns) == 0 {
		q.err = buildErrorf("a list has one column at least")
	}
	return Joined{q}
}
