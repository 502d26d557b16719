package svc

import (
	"strconv"
	"sync/atomic"
)

// Param is a value that is known when a prepared query runs. V is the type of its expression, such as *IntExpr: Value has the methods of that type.
type Param[T, V any] struct {
	Value V
	e     *ex
	of    Sure[T, V]
}

// NewParam returns a named parameter with the type of a column.
func NewParam[T, V any](name string, column Sure[T, V]) *Param[T, V] {
	e := paramEx(name, column.ref().typ, false)
	return &Param[T, V]{column.sure(e), e, column}
}

var params atomic.Int64

// Its text tells it from others of the same name.
func paramEx(name, typ string, nullable bool) *ex {
	text := strconv.FormatInt(params.Add(1), 10) + " " + name
	return &ex{op: "param", name: name, text: text, typ: typ, nullable: nullable}
}

func (p *Param[T, V]) ref() *ex { return p.e }

func (p *Param[T, V]) values() *codec[T] { return p.of.values() }

func (p *Param[T, V]) scalar() {}

func (p *Param[T, V]) like(e *ex) V { return p.of.sure(e) }

func (p *Param[T, V]) part() part[T] {
	return part[T]{of: p.e, read: func(d *decoder, value *T) { *value = p.values().read(d) }}
}

// Is gives the parameter a value.
func (p *Param[T, V]) Is(value T) Binding { return Binding{p.e.text, p.values().literal(value)} }

// NullParam is a parameter that can be NULL.
type NullParam[T, N any] struct {
	Value N
	e     *ex
	c     *codec[T]
	of    OrNull[N]
}

// NewNullParam returns a named parameter with the type of a column, which can be NULL.
func NewNullParam[T, N any](name string, column interface {
	Expr[T]
	OrNull[N]
}) *NullParam[T, N] {
	e := paramEx(name, column.ref().typ, true)
	return &NullParam[T, N]{column.orNull(e), e, column.values(), column}
}

func (p *NullParam[T, N]) ref() *ex { return p.e }

func (p *NullParam[T, N]) values() *codec[T] { return p.c }

func (p *NullParam[T, N]) scalar() {}

func (p *NullParam[T, N]) like(e *ex) N { return p.of.orNull(e) }

func (p *NullParam[T, N]) part() part[Null[T]] {
	return part[Null[T]]{of: p.e, read: func(d *decoder, value *Null[T]) { *value = p.c.readNull(d) }}
}

// Is gives the parameter a value.
func (p *NullParam[T, N]) Is(value Null[T]) Binding { return Binding{p.e.text, p.c.nullable(value)} }

// Binding is a parameter with its value.
type Binding struct {
	param string
	value *ex
}

// Prepared is an operation that was serialized once.
type Prepared[T any] struct {
	c              *compiled
	body, relation segments
	read           func(d *decoder, value *T)
	err            error
}

// Prepare serializes an operation once. Each run inserts its values into the text.
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

// With returns the operation with values for all its parameters.
func (p Prepared[T]) With(bindings ...Binding) Runnable[T] { return prepared[T]{p, bindings} }

func (p prepared[T]) compile(string) (*compiled, func(d *decoder, value *T), error) {
	if p.of.err != nil {
		return nil, nil, p.of.err
	}
	values := make(map[string]*ex, len(p.bindings))
	for _, binding := range p.bindings {
		values[binding.param] = binding.value
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
