package svc

// Assign gives a column of a statement a value.
type Assign struct{ column, value *ex }

// Put is what a column of a new row, or of a row of UpdateFrom, is to be: the key too.
func Put[T any](column, value Expr[T]) Assign {
	to, _ := column.operand()
	from, _ := value.operand()
	return Assign{to, from}
}

// ValCol is a column that takes no NULL.
type ValCol[T any] struct{ Val[T, T] }

// Set sets the column to an expression.
func (v ValCol[T]) Set(to Scalar[T, T]) Assign { return v.assign(to.scalar().e) }

// SetTo sets the column to a value.
func (v ValCol[T]) SetTo(value T) Assign { return v.assign(v.c.literal(value)) }

// NullValCol is a column that takes NULL.
type NullValCol[T any] struct{ Val[T, Null[T]] }

// Set sets the column to an expression.
func (v NullValCol[T]) Set(to Expr[T]) Assign { return Put[T](v, to) }

// SetTo sets the column to a value.
func (v NullValCol[T]) SetTo(value T) Assign { return v.assign(v.c.literal(value)) }

// SetNull sets the column to NULL.
func (v NullValCol[T]) SetNull() Assign { return v.assign(nullEx(v.c.typ)) }

// NumCol is a column of numbers that takes no NULL.
type NumCol[T int64 | float64] struct{ Num[T, T] }

// Set sets the column to an expression.
func (v NumCol[T]) Set(to Scalar[T, T]) Assign { return v.assign(to.scalar().e) }

// SetTo sets the column to a value.
func (v NumCol[T]) SetTo(value T) Assign { return v.assign(v.c.literal(value)) }

// NullNumCol is a column of numbers that takes NULL.
type NullNumCol[T int64 | float64] struct{ Num[T, Null[T]] }

// Set sets the column to an expression.
func (v NullNumCol[T]) Set(to Expr[T]) Assign { return Put[T](v, to) }

// SetTo sets the column to a value.
func (v NullNumCol[T]) SetTo(value T) Assign { return v.assign(v.c.literal(value)) }

// SetNull sets the column to NULL.
func (v NullNumCol[T]) SetNull() Assign { return v.assign(nullEx(v.c.typ)) }

// TextCol is a column of texts that takes no NULL.
type TextCol struct{ Text[string] }

// Set sets the column to an expression.
func (v TextCol) Set(to Scalar[string, string]) Assign { return v.assign(to.scalar().e) }

// SetTo sets the column to a value.
func (v TextCol) SetTo(value string) Assign { return v.assign(v.c.literal(value)) }

// NullTextCol is a column of texts that takes NULL.
type NullTextCol struct{ Text[Null[string]] }

// Set sets the column to an expression.
func (v NullTextCol) Set(to Expr[string]) Assign { return Put[string](v, to) }

// SetTo sets the column to a value.
func (v NullTextCol) SetTo(value string) Assign { return v.assign(v.c.literal(value)) }

// SetNull sets the column to NULL.
func (v NullTextCol) SetNull() Assign { return v.assign(nullEx(v.c.typ)) }

// BoolCol is a column of truth values that takes no NULL.
type BoolCol struct{ Bool[bool] }

// Set sets the column to an expression.
func (v BoolCol) Set(to Scalar[bool, bool]) Assign { return v.assign(to.scalar().e) }

// SetTo sets the column to a value.
func (v BoolCol) SetTo(value bool) Assign { return v.assign(v.c.literal(value)) }

// NullBoolCol is a column of truth values that takes NULL.
type NullBoolCol struct{ Bool[Null[bool]] }

// Set sets the column to an expression.
func (v NullBoolCol) Set(to Expr[bool]) Assign { return Put[bool](v, to) }

// SetTo sets the column to a value.
func (v NullBoolCol) SetTo(value bool) Assign { return v.assign(v.c.literal(value)) }

// SetNull sets the column to NULL.
func (v NullBoolCol) SetNull() Assign { return v.assign(nullEx(v.c.typ)) }

// Columns of generated tables, by the expression that stands for them.

func valOf[T any](e *ex, c *codec[T]) Val[T, T]           { return Cmp[T]{c: c}.sure(e) }
func nullValOf[T any](e *ex, c *codec[T]) Val[T, Null[T]] { return Cmp[T]{c: c}.unsure(e) }

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
