package svc

func (v *KindExpr) number() {}

// Add adds a value.
func (v *KindExpr) Add(other KindValue) *KindExpr {
	return &KindExpr{calculated("add", v.e, kindCodec.literal(other))}
}

// Sub subtracts a value.
func (v *KindExpr) Sub(other KindValue) *KindExpr {
	return &KindExpr{calculated("sub", v.e, kindCodec.literal(other))}
}

// Mul multiplies by a value.
func (v *KindExpr) Mul(other KindValue) *KindExpr {
	return &KindExpr{calculated("mul", v.e, kindCodec.literal(other))}
}

// Div divides by a value; integers are cut toward zero.
func (v *KindExpr) Div(other KindValue) *KindExpr {
	return &KindExpr{calculated("div", v.e, kindCodec.literal(other))}
}

// AddExpr adds an expression that is as much NULL as this one: Nullable widens, OrElse narrows.
func (v *KindExpr) AddExpr(other Scalar[KindValue, KindResult]) *KindExpr {
	return &KindExpr{calculated("add", v.e, other.ref())}
}

// SubExpr subtracts an expression.
func (v *KindExpr) SubExpr(other Scalar[KindValue, KindResult]) *KindExpr {
	return &KindExpr{calculated("sub", v.e, other.ref())}
}

// MulExpr multiplies by an expression.
func (v *KindExpr) MulExpr(other Scalar[KindValue, KindResult]) *KindExpr {
	return &KindExpr{calculated("mul", v.e, other.ref())}
}

// DivExpr divides by an expression.
func (v *KindExpr) DivExpr(other Scalar[KindValue, KindResult]) *KindExpr {
	return &KindExpr{calculated("div", v.e, other.ref())}
}

// Neg is the number with the other sign.
func (v *KindExpr) Neg() *KindExpr {
	return &KindExpr{negativeEx(v.e)}
}

// Nullable is the number as one that can be NULL.
func (v *KindExpr) Nullable() *NullExpr {
	return &NullExpr{v.e}
}
