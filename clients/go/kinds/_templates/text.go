package svc

// StartsWith is TRUE where the text begins so.
func (v *KindExpr) StartsWith(text string) *Test {
	return &Test{matchEx(v.e, false, text, true, false)}
}

// EndsWith is TRUE where the text ends so.
func (v *KindExpr) EndsWith(text string) *Test {
	return &Test{matchEx(v.e, true, text, false, false)}
}

// Contains is TRUE where this is somewhere in the text.
func (v *KindExpr) Contains(text string) *Test {
	return &Test{matchEx(v.e, true, text, true, false)}
}

// Match is TRUE where the text has the pattern; * stands for any text.
func (v *KindExpr) Match(pattern string) *Test {
	return &Test{patternEx(v.e, pattern, false)}
}

// StartsWithFold is StartsWith without regard to case.
func (v *KindExpr) StartsWithFold(text string) *Test {
	return &Test{matchEx(v.e, false, text, true, true)}
}

// EndsWithFold is EndsWith without regard to case.
func (v *KindExpr) EndsWithFold(text string) *Test {
	return &Test{matchEx(v.e, true, text, false, true)}
}

// ContainsFold is Contains without regard to case.
func (v *KindExpr) ContainsFold(text string) *Test {
	return &Test{matchEx(v.e, true, text, true, true)}
}

// MatchFold is Match without regard to case.
func (v *KindExpr) MatchFold(pattern string) *Test {
	return &Test{patternEx(v.e, pattern, true)}
}
