package svc

// KindExpr is KindDoc.
type KindExpr struct{ e *ex }

func newKindExpr(s *source, i int) *KindExpr {
	return &KindExpr{s.handles[i]}
}

func (v *KindExpr) ref() *ex { return v.e }

func (v *KindExpr) values() *codec[KindValue] {
	return kindCodec
}

func (v *KindExpr) term() term { return term{of: v.e} }

func (v *KindExpr) like(e *ex) *KindExpr {
	return &KindExpr{e}
}

func (v *KindExpr) sure(e *ex) *SureExpr {
	return &SureExpr{e}
}

func (v *KindExpr) orNull(e *ex) *NullExpr {
	return &NullExpr{e}
}

func (v *KindExpr) part() part[KindResult] {
	return part[KindResult]{of: v.e, read: func(d *decoder, value *KindResult) { *value = kindCodec.kindRead(d) }}
}

func (v *KindExpr) compile(string) (*compiled, func(d *decoder, value *KindResult), error) {
	c, err := compileValue(v.e)
	return c, v.part().read, err
}

// Eq is TRUE where both are equal; NULL where one is NULL.
func (v *KindExpr) Eq(other KindValue) *Test {
	return compared("eq", v.e, kindCodec.literal(other))
}

// Ne is TRUE where both differ.
func (v *KindExpr) Ne(other KindValue) *Test {
	return compared("ne", v.e, kindCodec.literal(other))
}

// Lt is TRUE where this is less.
func (v *KindExpr) Lt(other KindValue) *Test {
	return compared("lt", v.e, kindCodec.literal(other))
}

// Lte is TRUE where this is less or equal.
func (v *KindExpr) Lte(other KindValue) *Test {
	return compared("lte", v.e, kindCodec.literal(other))
}

// Gt is TRUE where this is greater.
func (v *KindExpr) Gt(other KindValue) *Test {
	return compared("gt", v.e, kindCodec.literal(other))
}

// Gte is TRUE where this is greater or equal.
func (v *KindExpr) Gte(other KindValue) *Test {
	return compared("gte", v.e, kindCodec.literal(other))
}

// EqExpr is Eq with another expression.
func (v *KindExpr) EqExpr(other Expr[KindValue]) *Test {
	return compared("eq", v.e, other.ref())
}

// NeExpr is Ne with another expression.
func (v *KindExpr) NeExpr(other Expr[KindValue]) *Test {
	return compared("ne", v.e, other.ref())
}

// LtExpr is Lt with another expression.
func (v *KindExpr) LtExpr(other Expr[KindValue]) *Test {
	return compared("lt", v.e, other.ref())
}

// LteExpr is Lte with another expression.
func (v *KindExpr) LteExpr(other Expr[KindValue]) *Test {
	return compared("lte", v.e, other.ref())
}

// GtExpr is Gt with another expression.
func (v *KindExpr) GtExpr(other Expr[KindValue]) *Test {
	return compared("gt", v.e, other.ref())
}

// GteExpr is Gte with another expression.
func (v *KindExpr) GteExpr(other Expr[KindValue]) *Test {
	return compared("gte", v.e, other.ref())
}

// Between is TRUE from low to high, both included.
func (v *KindExpr) Between(low, high KindValue) *Test {
	return v.Gte(low).And(v.Lte(high))
}

// In is TRUE where the value is one of these, FALSE for NULL.
func (v *KindExpr) In(values ...KindValue) *BoolExpr {
	return &BoolExpr{inEx(v.e, kindCodec.literals(values))}
}

// Same is TRUE where both are equal or both NULL, else FALSE.
func (v *KindExpr) Same(other KindValue) *BoolExpr {
	return &BoolExpr{sameEx(v.e, kindCodec.literal(other))}
}

// SameExpr is Same with another expression.
func (v *KindExpr) SameExpr(other Expr[KindValue]) *BoolExpr {
	return &BoolExpr{sameEx(v.e, other.ref())}
}

// IsNull is TRUE for NULL.
func (v *KindExpr) IsNull() *BoolExpr {
	return &BoolExpr{testEx("is_null", v.e)}
}

// IsNotNull is FALSE for NULL.
func (v *KindExpr) IsNotNull() *BoolExpr {
	return &BoolExpr{testEx("is_not_null", v.e)}
}

// Asc orders from the least on, NULL first.
func (v *KindExpr) Asc() Term {
	return &orderTerm{of: v.e}
}

// Desc orders from the greatest on, NULL last.
func (v *KindExpr) Desc() Term {
	return &orderTerm{of: v.e, isDesc: true}
}

// OrElse is the value, or other for NULL.
func (v *KindExpr) OrElse(other KindValue) *SureExpr {
	return &SureExpr{orElseEx(v.e, kindCodec.literal(other))}
}
