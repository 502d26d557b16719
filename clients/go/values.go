package svc

// Expr is an expression of the type T, whether it can be NULL or not.
type Expr[T any] interface {
	ref() *ex
	values() *codec[T]
}

// Scalar is an expression of the type T that comes as D: T itself, or Null[T].
type Scalar[T, D any] interface {
	Expr[T]
	Part[D]
	// Not of what only seems to be never NULL.
	scalar()
}

// Part is what can stand in Into, and be the result of Run; T is what it comes as.
type Part[T any] interface{ part() part[T] }

// Predicate is a truth value, NULL or not.
type Predicate interface{ predicate() *ex }

// Term is a term of an order; an expression stands for its ascending order.
type Term interface{ term() term }

// Number is an expression that can be calculated with; N is its kind where it can be NULL, such as *NullIntExpr.
type Number[N any] interface {
	OrNull[N]
	number()
}

// OrNull is an expression; N is its kind where it can be NULL.
type OrNull[N any] interface {
	ref() *ex
	orNull(e *ex) N
}

// Like is an expression; E is its kind, such as *TextExpr.
type Like[E any] interface {
	ref() *ex
	like(e *ex) E
}

// Sure is an expression of the type T; V is its kind where it is never NULL.
type Sure[T, V any] interface {
	Expr[T]
	sure(e *ex) V
}

type part[T any] struct {
	of     *ex
	nested *query
	read   func(d *decoder, value *T)
}

type orderTerm term

func (t *orderTerm) term() term { return term(*t) }

// Test is what a comparison gives: NULL where an operand is NULL.
type Test = NullBoolExpr

func compared(op string, left, right *ex) *Test { return &Test{compareEx(op, left, right)} }

func calculated(op string, left, right *ex) *ex { return binaryEx(op, left, right, left.typ) }

func joined(op string, left *ex, others []Predicate) *Test {
	for _, other := range others {
		left = compareEx(op, left, other.predicate())
	}
	return &Test{left}
}

func negativeEx(of *ex) *ex {
	return &ex{op: "unary", name: "negate", args: []*ex{of}, typ: of.typ, nullable: of.nullable}
}

// And is TRUE where all are.
func And(first Predicate, others ...Predicate) *Test { return joined("and", first.predicate(), others) }

// Or is TRUE where one is.
func Or(first Predicate, others ...Predicate) *Test { return joined("or", first.predicate(), others) }

// Not is TRUE for FALSE, and NULL for NULL.
func Not(of Predicate) *Test { return &Test{notEx(of.predicate())} }

func castEx(of *ex, typ string) *ex {
	if of.typ == typ {
		return of
	}
	return &ex{op: "cast", args: []*ex{of}, typ: typ, nullable: of.nullable}
}

// Float is an integer as float64.
func Float(of Scalar[int64, int64]) *FloatExpr { return &FloatExpr{castEx(of.ref(), floatType)} }

// NullFloat is Float of what can be NULL.
func NullFloat(of Expr[int64]) *NullFloatExpr { return &NullFloatExpr{castEx(of.ref(), floatType)} }

// Int is a float64 as integer, cut toward zero; an error where it has none.
func Int(of Scalar[float64, float64]) *IntExpr { return &IntExpr{castEx(of.ref(), intType)} }

// NullInt is Int of what can be NULL.
func NullInt(of Expr[float64]) *NullIntExpr { return &NullIntExpr{castEx(of.ref(), intType)} }

// Count is how many rows there are; it stands in Group and Fold, as Sum, Avg, Min and Max do.
func Count() *IntExpr { return &IntExpr{foldEx("count", nil, intType)} }

// Sum is the sum of what is not NULL; NULL of nothing.
func Sum[N any](of Number[N]) N { return of.orNull(foldEx("sum", of.ref(), of.ref().typ)) }

// Avg is the mean of what is not NULL; NULL of nothing.
func Avg[N any](of Number[N]) *NullFloatExpr {
	return &NullFloatExpr{foldEx("avg", of.ref(), floatType)}
}

// Min is the least of what is not NULL; NULL of nothing.
func Min[N any](of OrNull[N]) N { return of.orNull(foldEx("min", of.ref(), of.ref().typ)) }

// Max is the greatest of what is not NULL; NULL of nothing.
func Max[N any](of OrNull[N]) N { return of.orNull(foldEx("max", of.ref(), of.ref().typ)) }

// IntOf is a value as an expression.
func IntOf(value int64) *IntExpr { return &IntExpr{intCodec.literal(value)} }

// FloatOf is a value as an expression.
func FloatOf(value float64) *FloatExpr { return &FloatExpr{floatCodec.literal(value)} }

// TextOf is a value as an expression.
func TextOf(value string) *TextExpr { return &TextExpr{textCodec.literal(value)} }

// BoolOf is a value as an expression.
func BoolOf(value bool) *BoolExpr { return &BoolExpr{boolEx(value)} }

// BytesOf is a value as an expression.
func BytesOf(value []byte) *BytesExpr { return &BytesExpr{bytesCodec.literal(value)} }

// LitOf is a value as an expression of the type of another one, such as an identifier.
func LitOf[T, V any](like Sure[T, V], value T) V { return like.sure(like.values().literal(value)) }

// Alias is the same value as an expression of its own: to select it under two names, and to mean the second one above.
func Alias[E any](of Like[E]) E { return of.like(aliasEx(of.ref())) }

func aliasEx(of *ex) *ex {
	return &ex{op: "as", args: []*ex{of}, typ: of.typ, format: of.format, nullable: of.nullable}
}

// NullOf is NULL, of the type of an expression.
func NullOf[N any](like OrNull[N]) N { return like.orNull(nullEx(like.ref().typ)) }

// Branch is under way from When to Else.
type Branch[E any] struct {
	arms []*ex
	of   Like[E]
}

// When is `then` where the test is TRUE; Else says what it is otherwise.
func When[E any](test Predicate, then Like[E]) *Branch[E] {
	return &Branch[E]{[]*ex{test.predicate(), then.ref()}, then}
}

// When is the next test, where none before was TRUE.
func (b *Branch[E]) When(test Predicate, then Like[E]) *Branch[E] {
	return &Branch[E]{append(append([]*ex(nil), b.arms...), test.predicate(), then.ref()), b.of}
}

// Else is what it is where no test is TRUE.
func (b *Branch[E]) Else(otherwise Like[E]) E {
	last := otherwise.ref()
	e := &ex{op: "branch", args: append(append([]*ex(nil), b.arms...), last), typ: last.typ, format: b.of.ref().format, nullable: last.nullable}
	for i := 1; i < len(b.arms); i += 2 {
		e.nullable = e.nullable || b.arms[i].nullable
	}
	return b.of.like(e)
}
