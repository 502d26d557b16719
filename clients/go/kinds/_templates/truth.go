package svc

func (v *KindExpr) predicate() *ex { return v.e }

func (v *KindExpr) held() *query {
	return oneRow().where(v.e)
}

// And is TRUE where all are.
func (v *KindExpr) And(others ...Predicate) *Test {
	return joined("and", v.e, others)
}

// Or is TRUE where one is.
func (v *KindExpr) Or(others ...Predicate) *Test {
	return joined("or", v.e, others)
}

// Not is TRUE for FALSE, and NULL for NULL.
func (v *KindExpr) Not() *KindExpr {
	return &KindExpr{notEx(v.e)}
}
