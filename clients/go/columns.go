package svc

// Assign gives a column of a statement a value.
type Assign struct{ column, value *ex }

// Put is what a column of a new row, or of a row of UpdateFrom, is to be: the key too.
func Put[T any](column, value Expr[T]) Assign { return Assign{column.ref(), value.ref()} }

func optEx[T any](c *codec[T], value Opt[T]) *ex {
	if !value.isSet {
		return nil
	}
	return c.literal(value.value)
}

func optNullEx[T any](c *codec[T], value Opt[Null[T]]) *ex {
	if !value.isSet {
		return nil
	}
	return c.nullable(value.value)
}
