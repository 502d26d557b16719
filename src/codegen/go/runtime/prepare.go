package svc

// Param is a value that is known when a prepared query runs.
type Param[T any] struct{ Val[T, T] }

// NewParam is a parameter of the type of a column, under a name.
func NewParam[T any](name string, like Expr[T]) Param[T] {
	_, c := like.operand()
	return Param[T]{valOf(&ex{op: "param", name: name, typ: c.typ}, c)}
}

// Is gives the parameter a value.
func (p Param[T]) Is(value T) Binding { return Binding{p.e.name, p.c.literal(value)} }

// NullParam is a parameter that can be NULL.
type NullParam[T any] struct{ Val[T, Null[T]] }

// NewNullParam is a parameter of the type of a column, under a name, that can be NULL.
func NewNullParam[T any](name string, like Expr[T]) NullParam[T] {
	_, c := like.operand()
	return NullParam[T]{nullValOf(&ex{op: "param", name: name, typ: c.typ, nullable: true}, c)}
}

// Is gives the parameter a value.
func (p NullParam[T]) Is(value Null[T]) Binding { return Binding{p.e.name, p.c.nullable(value)} }

// Binding is a parameter with its value.
type Binding struct {
	name  string
	value *ex
}

// Prepared is an operation that was made text once.
type Prepared[T any] struct {
	c              *compiled
	body, relation segments
	read           func(d *decoder, value *T)
	err            error
}

// Prepare makes an operation text once; each run writes its values into the text.
func Prepare[T any](name string, what Runnable[T]) Prepared[T] {
	c, read, err := what.compile(name)
	if err != nil {
		return Prepared[T]{err: err}
	}
	c.name = name
	p := Prepared[T]{c: c, body: segmentsOf(c.body), read: read}
	if c.relation != nil {
		p.relation = segmentsOf(c.relation)
	}
	return p
}

type prepared[T any] struct {
	of       Prepared[T]
	bindings []Binding
}

// With is the operation with values for all its parameters.
func (p Prepared[T]) With(bindings ...Binding) Runnable[T] { return prepared[T]{p, bindings} }

func (p prepared[T]) compile(string) (*compiled, func(d *decoder, value *T), error) {
	if p.of.err != nil {
		return nil, nil, p.of.err
	}
	values := make(map[string]*ex, len(p.bindings))
	for _, binding := range p.bindings {
		values[binding.name] = binding.value
	}
	c := *p.of.c
	var err error
	if c.body, err = p.of.body.with(values); err != nil {
		return nil, nil, err
	}
	if p.of.relation != nil {
		if c.relation, err = p.of.relation.with(values); err != nil {
			return nil, nil, err
		}
	}
	return &c, p.of.read, nil
}
