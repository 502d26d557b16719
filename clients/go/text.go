package svc

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"
)

const lowHexDigits = "0123456789abcdef"

// Appends JSON of a text with the escapes that JSON demands, and no others.
func appendText(b []byte, text string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', lowHexDigits[c>>4], lowHexDigits[c&15])
		}
	}
	return append(append(b, text[start:]...), '"')
}

// Appends a finite number as ECMAScript prints it; -0 as -0.0.
func appendFloat(b []byte, value float64) []byte {
	if value == 0 {
		if math.Signbit(value) {
			return append(b, "-0.0"...)
		}
		return append(b, '0')
	}
	if value < 0 {
		b = append(b, '-')
		value = -value
	}
	if value >= 1e-6 && value < 1e21 {
		return strconv.AppendFloat(b, value, 'f', -1, 64)
	}
	var digits [32]byte
	text := strconv.AppendFloat(digits[:0], value, 'e', -1, 64)
	// Go writes two digits of an exponent at least.
	if n := len(text); text[n-2] == '0' && (text[n-3] == '-' || text[n-3] == '+') {
		text = append(text[:n-2], text[n-1])
	}
	return append(b, text...)
}

// How values of one Go type go to the wire and come back.
type codec[T any] struct {
	typ string
	// JSON of the value in a literal.
	write func(b []byte, value T) ([]byte, error)
	read  func(d *decoder) T
}

func (c *codec[T]) literal(value T) *ex {
	text, err := c.write(nil, value)
	if err != nil {
		return badEx(c.typ, err)
	}
	return &ex{op: "lit", typ: c.typ, text: string(text)}
}

func (c *codec[T]) literals(values []T) []*ex {
	all := make([]*ex, len(values))
	for i, value := range values {
		all[i] = c.literal(value)
	}
	return all
}

// A value of a column that takes NULL.
func (c *codec[T]) nullable(value Null[T]) *ex {
	if !value.OK {
		return nullEx(c.typ)
	}
	return c.literal(value.V)
}

func (c *codec[T]) readNull(d *decoder) Null[T] {
	if d.null() {
		return Null[T]{}
	}
	return Null[T]{V: c.read(d), OK: true}
}

var textCodec = &codec[string]{textType, func(b []byte, value string) ([]byte, error) {
	if !utf8.ValidString(value) {
		return nil, buildErrorf("a text is not UTF-8: use a column of bytes for it")
	}
	return appendText(b, value), nil
}, (*decoder).text}

var intCodec = &codec[int64]{intType, func(b []byte, value int64) ([]byte, error) {
	return append(strconv.AppendInt(append(b, '"'), value, 10), '"'), nil
}, (*decoder).int64}

var floatCodec = &codec[float64]{floatType, func(b []byte, value float64) ([]byte, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return nil, buildErrorf("a finite number is wanted, not %v", value)
	}
	return append(appendFloat(append(b, '"'), value), '"'), nil
}, (*decoder).float64}

var boolCodec = &codec[bool]{boolType, func(b []byte, value bool) ([]byte, error) {
	return strconv.AppendBool(b, value), nil
}, (*decoder).bool}

var bytesCodec = &codec[[]byte]{bytesType, func(b []byte, value []byte) ([]byte, error) {
	return appendBase64(b, value), nil
}, (*decoder).bytes}

func appendBase64(b []byte, value []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), value), '"')
}
