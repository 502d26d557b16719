package svc

// Expr is an expression of the type T, whether it can be NULL or not.
type Expr[T any] interface{ operand() (*ex, *codec[T]) }

// Scalar is an expression of the type T that comes as D: T itself, or Null[T].
type Scalar[T, D any] interface {
	Expr[T]
	scalar() Val[T, D]
}

// Part is what can stand in Into, and be the result of Run; T is what it comes as.
type Part[T any] interface{ part() part[T] }

// Predicate is a truth value, NULL or not.
type Predicate interface{ predicate() *ex }

// Term is a term of an order; an expression stands for its ascending order.
type Term interface{ term() term }

// Number is an expression that can be calculated with.
type Number[T int64 | float64] interface {
	Expr[T]
	number()
}

type part[T any] struct {
	of     *ex
	nested *query
	read   func(d *decoder, value *T)
}

type orderTerm term

func (t orderTerm) term() term { return term(t) }

// Cmp has what all expressions of a type can do.
type Cmp[T any] struct {
	e *ex
	c *codec[T]
}

func (v Cmp[T]) operand() (*ex, *codec[T]) { return v.e, v.c }
func (v Cmp[T]) term() term                { return term{of: v.e} }

func (v Cmp[T]) value(op string, other T) Test {
	return Test{newBool[Null[bool]](compareEx(op, v.e, v.c.literal(other)), boolCodec.readNull)}
}

func (v Cmp[T]) with(op string, other Expr[T]) Test {
	right, _ := other.operand()
	return Test{newBool[Null[bool]](compareEx(op, v.e, right), boolCodec.readNull)}
}

// Eq is TRUE where both are equal; NULL where one is NULL.
func (v Cmp[T]) Eq(other T) Test { return v.value("eq", other) }

// Ne is TRUE where both differ.
func (v Cmp[T]) Ne(other T) Test { return v.value("ne", other) }

// Lt is TRUE where this is less.
func (v Cmp[T]) Lt(other T) Test { return v.value("lt", other) }

// Lte is TRUE where this is less or equal.
func (v Cmp[T]) Lte(other T) Test { return v.value("lte", other) }

// Gt is TRUE where this is greater.
func (v Cmp[T]) Gt(other T) Test { return v.value("gt", other) }

// Gte is TRUE where this is greater or equal.
func (v Cmp[T]) Gte(other T) Test { return v.value("gte", other) }

// EqExpr is Eq with another expression.
func (v Cmp[T]) EqExpr(other Expr[T]) Test { return v.with("eq", other) }

// NeExpr is Ne with another expression.
func (v Cmp[T]) NeExpr(other Expr[T]) Test { return v.with("ne", other) }

// LtExpr is Lt with another expression.
func (v Cmp[T]) LtExpr(other Expr[T]) Test { return v.with("lt", other) }

// LteExpr is Lte with another expression.
func (v Cmp[T]) LteExpr(other Expr[T]) Test { return v.with("lte", other) }

// GtExpr is Gt with another expression.
func (v Cmp[T]) GtExpr(other Expr[T]) Test { return v.with("gt", other) }

// GteExpr is Gte with another expression.
func (v Cmp[T]) GteExpr(other Expr[T]) Test { return v.with("gte", other) }

// Between is TRUE from low to high, both included.
func (v Cmp[T]) Between(low, high T) Test { return v.Gte(low).And(v.Lte(high)) }

// In is TRUE where the value is one of these, FALSE for NULL.
func (v Cmp[T]) In(values ...T) Bool[bool] {
	all := make([]*ex, len(values))
	for i, value := range values {
		all[i] = v.c.literal(value)
	}
	return newBool[bool](inEx(v.e, all), boolCodec.read)
}

// Same is TRUE where both are equal or both NULL, else FALSE.
func (v Cmp[T]) Same(other T) Bool[bool] {
	return newBool[bool](sameEx(v.e, v.c.literal(other)), boolCodec.read)
}

// SameExpr is Same with another expression.
func (v Cmp[T]) SameExpr(other Expr[T]) Bool[bool] {
	right, _ := other.operand()
	return newBool[bool](sameEx(v.e, right), boolCodec.read)
}

// IsNull is TRUE for NULL.
func (v Cmp[T]) IsNull() Bool[bool] {
	return newBool[bool](testEx("is_null", v.e), boolCodec.read)
}

// IsNotNull is FALSE for NULL.
func (v Cmp[T]) IsNotNull() Bool[bool] {
	return newBool[bool](testEx("is_not_null", v.e), boolCodec.read)
}

// Asc orders from the least on, NULL first.
func (v Cmp[T]) Asc() Term { return orderTerm{of: v.e} }

// Desc orders from the greatest on, NULL last.
func (v Cmp[T]) Desc() Term { return orderTerm{of: v.e, isDesc: true} }

func (v Cmp[T]) sure(of *ex) Val[T, T] { return Val[T, T]{Cmp[T]{of, v.c}, v.c.read} }

func (v Cmp[T]) unsure(of *ex) Val[T, Null[T]] {
	return Val[T, Null[T]]{Cmp[T]{of, v.c}, v.c.readNull}
}

func (v Cmp[T]) or(other T) Val[T, T] { return v.sure(orElseEx(v.e, v.c.literal(other))) }

func (v Cmp[T]) assign(other *ex) Assign { return Assign{v.e, other} }

// Val is an expression of the type T that comes as D: T itself, or Null[T].
type Val[T, D any] struct {
	Cmp[T]
	read func(d *decoder) D
}

func (v Val[T, D]) scalar() Val[T, D] { return v }

func (v Val[T, D]) part() part[D] {
	read := v.read
	return part[D]{of: v.e, read: func(d *decoder, value *D) { *value = read(d) }}
}

func (v Val[T, D]) derived(of *ex) Val[T, D] { return Val[T, D]{Cmp[T]{of, v.c}, v.read} }

// OrElse is the value, or other for NULL.
func (v Val[T, D]) OrElse(other T) Val[T, T] { return v.or(other) }

// Num is a number.
type Num[T int64 | float64, D any] struct{ Val[T, D] }

func (v Num[T, D]) number() {}

func (v Num[T, D]) by(op string, other T) Num[T, D] {
	return Num[T, D]{v.derived(binaryEx(op, v.e, v.c.literal(other), v.c.typ))}
}

func (v Num[T, D]) with(op string, other Scalar[T, D]) Num[T, D] {
	return Num[T, D]{v.derived(binaryEx(op, v.e, other.scalar().e, v.c.typ))}
}

// Add adds a value.
func (v Num[T, D]) Add(other T) Num[T, D] { return v.by("add", other) }

// Sub subtracts a value.
func (v Num[T, D]) Sub(other T) Num[T, D] { return v.by("sub", other) }

// Mul multiplies by a value.
func (v Num[T, D]) Mul(other T) Num[T, D] { return v.by("mul", other) }

// Div divides by a value; integers are cut toward zero.
func (v Num[T, D]) Div(other T) Num[T, D] { return v.by("div", other) }

// AddExpr adds an expression that is as much NULL as this one: Nullable widens, OrElse narrows.
func (v Num[T, D]) AddExpr(other Scalar[T, D]) Num[T, D] { return v.with("add", other) }

// SubExpr subtracts an expression.
func (v Num[T, D]) SubExpr(other Scalar[T, D]) Num[T, D] { return v.with("sub", other) }

// MulExpr multiplies by an expression.
func (v Num[T, D]) MulExpr(other Scalar[T, D]) Num[T, D] { return v.with("mul", other) }

// DivExpr divides by an expression.
func (v Num[T, D]) DivExpr(other Scalar[T, D]) Num[T, D] { return v.with("div", other) }

// Neg is the number with the other sign.
func (v Num[T, D]) Neg() Num[T, D] {
	return Num[T, D]{v.derived(&ex{op: "unary", name: "negate", args: []*ex{v.e}, typ: v.c.typ, nullable: v.e.nullable})}
}

// OrElse is the number, or other for NULL.
func (v Num[T, D]) OrElse(other T) Num[T, T] { return Num[T, T]{v.or(other)} }

// Nullable is the number as one that can be NULL.
func (v Num[T, D]) Nullable() Num[T, Null[T]] { return Num[T, Null[T]]{v.unsure(v.e)} }

func castEx(of *ex, typ string) *ex {
	if of.typ == typ {
		return of
	}
	return &ex{op: "cast", args: []*ex{of}, typ: typ, nullable: of.nullable}
}

// Float is an integer as float64.
func Float(of Scalar[int64, int64]) Num[float64, float64] {
	return numOf[float64](Cmp[float64]{castEx(of.scalar().e, floatType), floatCodec})
}

// NullFloat is Float of what can be NULL.
func NullFloat(of Expr[int64]) Num[float64, Null[float64]] {
	e, _ := of.operand()
	return Num[float64, Null[float64]]{Cmp[float64]{c: floatCodec}.unsure(castEx(e, floatType))}
}

// Int is a float64 as integer, cut toward zero; an error where it has none.
func Int(of Scalar[float64, float64]) Num[int64, int64] {
	return numOf[int64](Cmp[int64]{castEx(of.scalar().e, intType), intCodec})
}

// NullInt is Int of what can be NULL.
func NullInt(of Expr[float64]) Num[int64, Null[int64]] {
	e, _ := of.operand()
	return Num[int64, Null[int64]]{Cmp[int64]{c: intCodec}.unsure(castEx(e, intType))}
}

func numOf[T int64 | float64](v Cmp[T]) Num[T, T] { return Num[T, T]{v.sure(v.e)} }

// Text is a text.
type Text[D any] struct{ Val[string, D] }

func (v Text[D]) match(before bool, text string, after, isFolded bool) Test {
	return Test{newBool[Null[bool]](matchEx(v.e, before, text, after, isFolded), boolCodec.readNull)}
}

// OrElse is the text, or other for NULL.
func (v Text[D]) OrElse(other string) Text[string] { return Text[string]{v.or(other)} }

// StartsWith is TRUE where the text begins so.
func (v Text[D]) StartsWith(text string) Test { return v.match(false, text, true, false) }

// EndsWith is TRUE where the text ends so.
func (v Text[D]) EndsWith(text string) Test { return v.match(true, text, false, false) }

// Contains is TRUE where this is somewhere in the text.
func (v Text[D]) Contains(text string) Test { return v.match(true, text, true, false) }

// Match is TRUE where the text has the pattern; * stands for any text.
func (v Text[D]) Match(pattern string) Test {
	return Test{newBool[Null[bool]](patternEx(v.e, pattern, false), boolCodec.readNull)}
}

// StartsWithFold is StartsWith without regard to case.
func (v Text[D]) StartsWithFold(text string) Test { return v.match(false, text, true, true) }

// EndsWithFold is EndsWith without regard to case.
func (v Text[D]) EndsWithFold(text string) Test { return v.match(true, text, false, true) }

// ContainsFold is Contains without regard to case.
func (v Text[D]) ContainsFold(text string) Test { return v.match(true, text, true, true) }

// MatchFold is Match without regard to case.
func (v Text[D]) MatchFold(pattern string) Test {
	return Test{newBool[Null[bool]](patternEx(v.e, pattern, true), boolCodec.readNull)}
}

// Bool is a truth value.
type Bool[D any] struct{ Val[bool, D] }

// Test is what a comparison gives: NULL where an operand is NULL.
type Test struct{ Bool[Null[bool]] }

func newBool[D any](of *ex, read func(d *decoder) D) Bool[D] {
	return Bool[D]{Val[bool, D]{Cmp[bool]{of, boolCodec}, read}}
}

func (v Bool[D]) predicate() *ex { return v.e }

// And is TRUE where all are.
func (v Bool[D]) And(others ...Predicate) Test { return v.joined("and", others) }

// Or is TRUE where one is.
func (v Bool[D]) Or(others ...Predicate) Test { return v.joined("or", others) }

func (v Bool[D]) joined(op string, others []Predicate) Test {
	left := v.e
	for _, other := range others {
		left = compareEx(op, left, other.predicate())
	}
	return Test{newBool[Null[bool]](left, boolCodec.readNull)}
}

// Not is TRUE for FALSE, and NULL for NULL.
func (v Bool[D]) Not() Bool[D] { return Bool[D]{v.derived(notEx(v.e))} }

// OrElse is the truth value, or other for NULL.
func (v Bool[D]) OrElse(other bool) Bool[bool] { return Bool[bool]{v.or(other)} }

// And is TRUE where all are.
func And(first Predicate, others ...Predicate) Test {
	return newBool[Null[bool]](first.predicate(), boolCodec.readNull).And(others...)
}

// Or is TRUE where one is.
func Or(first Predicate, others ...Predicate) Test {
	return newBool[Null[bool]](first.predicate(), boolCodec.readNull).Or(others...)
}

// Not is TRUE for FALSE, and NULL for NULL.
func Not(of Predicate) Test {
	return Test{newBool[Null[bool]](notEx(of.predicate()), boolCodec.readNull)}
}

// SoftExpr is never NULL in answers, but the server cannot know that: no column without NULL takes it as it is. OrElse makes it fit.
type SoftExpr[T any] struct{ Cmp[T] }

func (v SoftExpr[T]) part() part[T] {
	read := v.c.read
	return part[T]{of: v.e, read: func(d *decoder, value *T) { *value = read(d) }}
}

// OrElse is the value, or other where the server has none.
func (v SoftExpr[T]) OrElse(other T) Val[T, T] { return v.or(other) }

// AsNum is a value as a number to calculate with.
func AsNum[T int64 | float64, D any](of Scalar[T, D]) Num[T, D] { return Num[T, D]{of.scalar()} }

// AsText is a value as a text to match.
func AsText[D any](of Scalar[string, D]) Text[D] { return Text[D]{of.scalar()} }

// AsBool is a value as a truth value to test.
func AsBool[D any](of Scalar[bool, D]) Bool[D] { return Bool[D]{of.scalar()} }

// Count is how many rows there are; it stands in Group and Fold, as Sum, Avg, Min and Max do.
func Count() Num[int64, int64] {
	return numOf(Cmp[int64]{foldEx("count", nil, intType), intCodec})
}

// Sum is the sum of what is not NULL; NULL of nothing.
func Sum[T int64 | float64](of Number[T]) Num[T, Null[T]] {
	e, c := of.operand()
	return Num[T, Null[T]]{Cmp[T]{c: c}.unsure(foldEx("sum", e, e.typ))}
}

// Avg is the mean of what is not NULL; NULL of nothing.
func Avg[T int64 | float64](of Number[T]) Num[float64, Null[float64]] {
	e, _ := of.operand()
	return Num[float64, Null[float64]]{Cmp[float64]{c: floatCodec}.unsure(foldEx("avg", e, floatType))}
}

// Min is the least of what is not NULL; NULL of nothing.
func Min[T any](of Expr[T]) Val[T, Null[T]] {
	e, c := of.operand()
	return Cmp[T]{c: c}.unsure(foldEx("min", e, e.typ))
}

// Max is the greatest of what is not NULL; NULL of nothing.
func Max[T any](of Expr[T]) Val[T, Null[T]] {
	e, c := of.operand()
	return Cmp[T]{c: c}.unsure(foldEx("max", e, e.typ))
}

// IntOf is a value as an expression.
func IntOf(value int64) Num[int64, int64] {
	return numOf(Cmp[int64]{intCodec.literal(value), intCodec})
}

// FloatOf is a value as an expression.
func FloatOf(value float64) Num[float64, float64] {
	return numOf(Cmp[float64]{floatCodec.literal(value), floatCodec})
}

// TextOf is a value as an expression.
func TextOf(value string) Text[string] {
	return Text[string]{Cmp[string]{c: textCodec}.sure(textCodec.literal(value))}
}

// BoolOf is a value as an expression.
func BoolOf(value bool) Bool[bool] { return newBool[bool](boolEx(value), boolCodec.read) }

// BytesOf is a value as an expression.
func BytesOf(value []byte) Val[[]byte, []byte] {
	return Cmp[[]byte]{c: bytesCodec}.sure(bytesCodec.literal(value))
}

// LitOf is a value as an expression of the type of another one, such as an identifier.
func LitOf[T any](like Expr[T], value T) Val[T, T] {
	_, c := like.operand()
	return valOf(c.literal(value), c)
}

// Alias is the same value as an expression of its own: to select it under two names, and to mean the second one above.
func Alias[T, D any](of Scalar[T, D]) Val[T, D] {
	v := of.scalar()
	return v.derived(aliasEx(v.e))
}

func aliasEx(of *ex) *ex {
	return &ex{op: "as", args: []*ex{of}, typ: of.typ, format: of.format, nullable: of.nullable}
}

// NullOf is NULL, of the type of an expression.
func NullOf[T any](like Expr[T]) Val[T, Null[T]] {
	_, c := like.operand()
	return Cmp[T]{c: c}.unsure(nullEx(c.typ))
}

// Branch is under way from When to Else.
type Branch[T, D any] struct {
	arms []*ex
	like Val[T, D]
}

// When is `then` where the test is TRUE; Else says what it is otherwise.
func When[T, D any](test Predicate, then Scalar[T, D]) Branch[T, D] {
	like := then.scalar()
	return Branch[T, D]{[]*ex{test.predicate(), like.e}, like}
}

// When is the next test, where none before was TRUE.
func (b Branch[T, D]) When(test Predicate, then Scalar[T, D]) Branch[T, D] {
	arms := append(append([]*ex(nil), b.arms...), test.predicate(), then.scalar().e)
	return Branch[T, D]{arms, b.like}
}

// Else is what it is where no test is TRUE.
func (b Branch[T, D]) Else(otherwise Scalar[T, D]) Val[T, D] {
	last := otherwise.scalar().e
	e := &ex{op: "branch", args: append(append([]*ex(nil), b.arms...), last), typ: last.typ, format: b.like.e.format, nullable: last.nullable}
	for i := 1; i < len(b.arms); i += 2 {
		e.nullable = e.nullable || b.arms[i].nullable
	}
	return b.like.derived(e)
}
