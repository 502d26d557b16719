package svc

// KindCol is a column: KindDoc.
type KindCol struct{ KindExpr }

func newKindCol(s *source, i int) *KindCol {
	return &KindCol{KindExpr{s.handles[i]}}
}

// Set sets the column to an expression.
func (v *KindCol) Set(to Scalar[KindValue, KindResult]) Assign {
	return Assign{v.e, to.ref()}
}

// SetTo sets the column to a value.
func (v *KindCol) SetTo(value KindValue) Assign {
	return Assign{v.e, kindCodec.literal(value)}
}
