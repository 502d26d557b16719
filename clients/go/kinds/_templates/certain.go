package svc

func (v *KindExpr) scalar() {}
