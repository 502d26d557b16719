package svc

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// DecodeError tells of an answer that does not fit what was asked: the server has another schema, or something else has answered.
type DecodeError struct {
	// What was wanted.
	Wanted string
	// The member of the rows where it was wanted.
	Column string
	// How far into the text, in bytes.
	Offset int
}

func (e *DecodeError) Error() string {
	where := ""
	if e.Column != "" {
		where = e.Column + ": "
	}
	return fmt.Sprintf("svc: %s%s is wanted in the answer, at byte %d", where, e.Wanted, e.Offset)
}

// Goes through the text of an answer once. The first error stands; after it all reads give nothing.
type decoder struct {
	input  []byte
	at     int
	column string
	depth  int
	err    error
}

const depthMax = 512

func (d *decoder) fail(wanted string) {
	if d.err == nil {
		d.err = &DecodeError{Wanted: wanted, Column: d.column, Offset: d.at}
	}
	d.at = len(d.input)
}

// The next character that is no space; 0 at the end.
func (d *decoder) peek() byte {
	for d.at < len(d.input) {
		switch c := d.input[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
	return 0
}

func (d *decoder) take(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.at++
	return true
}

func (d *decoder) word(word string) bool {
	d.peek()
	if !strings.HasPrefix(string(d.input[d.at:min(len(d.input), d.at+len(word))]), word) {
		return false
	}
	d.at += len(word)
	return true
}

func (d *decoder) null() bool { return d.peek() == 'n' && d.word("null") }

func (d *decoder) bool() bool {
	switch {
	case d.word("true"):
		return true
	case d.word("false"):
	default:
		d.fail("a truth value")
	}
	return false
}

// The characters of a number.
func (d *decoder) number() []byte {
	d.peek()
	start := d.at
	for d.at < len(d.input) {
		c := d.input[d.at]
		if c-'0' > 9 && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		d.at++
	}
	return d.input[start:d.at]
}

func (d *decoder) int64() int64 {
	value, err := strconv.ParseInt(string(d.number()), 10, 64)
	if err != nil {
		d.fail("an integer")
	}
	return value
}

func (d *decoder) float64() float64 {
	value, err := strconv.ParseFloat(string(d.number()), 64)
	if err != nil {
		d.fail("a number")
	}
	return value
}

// The inside of a string, and whether it has escapes.
func (d *decoder) raw() (inside []byte, isEscaped bool) {
	if !d.take('"') {
		d.fail("a string")
		return nil, false
	}
	start := d.at
	for d.at < len(d.input) {
		switch c := d.input[d.at]; {
		case c == '"':
			d.at++
			return d.input[start : d.at-1], isEscaped
		case c == '\\':
			isEscaped = true
			d.at += 2
		case c < 0x20:
			d.fail("a string")
			return nil, false
		default:
			d.at++
		}
	}
	d.fail("the end of a string")
	return nil, false
}

func (d *decoder) text() string {
	inside, isEscaped := d.raw()
	if !isEscaped {
		return string(inside)
	}
	return d.unescaped(inside)
}

func (d *decoder) unescaped(inside []byte) string {
	text := make([]byte, 0, len(inside))
	for i := 0; i < len(inside); i++ {
		if inside[i] != '\\' {
			text = append(text, inside[i])
			continue
		}
		i++
		if i >= len(inside) {
			break
		}
		switch c := inside[i]; c {
		case 'b':
			text = append(text, '\b')
		case 'f':
			text = append(text, '\f')
		case 'n':
			text = append(text, '\n')
		case 'r':
			text = append(text, '\r')
		case 't':
			text = append(text, '\t')
		case 'u':
			unit, ok := hexUnit(inside[i+1:])
			if !ok {
				d.fail("an escape")
				return ""
			}
			i += 4
			if utf16.IsSurrogate(unit) && i+2 < len(inside) && inside[i+1] == '\\' && inside[i+2] == 'u' {
				if low, ok := hexUnit(inside[i+3:]); ok {
					if both := utf16.DecodeRune(unit, low); both != utf8.RuneError {
						unit = both
						i += 6
					}
				}
			}
			text = utf8.AppendRune(text, unit)
		case '"', '\\', '/':
			text = append(text, c)
		default:
			d.fail("an escape")
			return ""
		}
	}
	return string(text)
}

func hexUnit(text []byte) (rune, bool) {
	if len(text) < 4 {
		return 0, false
	}
	value, err := strconv.ParseUint(string(text[:4]), 16, 32)
	return rune(value), err == nil
}

func (d *decoder) bytes() []byte {
	text := d.text()
	if d.err != nil {
		return nil
	}
	found, ok := decodeBase64(text)
	if !ok {
		d.fail("base64")
	}
	return found
}

func decodeBase64(text string) ([]byte, bool) {
	found, err := base64.StdEncoding.DecodeString(text)
	return found, err == nil
}

// Whether an array has an element at i, which is to be read next: `for i := 0; d.element(i); i++`.
func (d *decoder) element(i int) bool {
	switch {
	case d.err != nil:
		return false
	case i == 0 && !d.take('['):
		d.fail("an array")
		return false
	case d.take(']'):
		return false
	case i > 0 && !d.take(','):
		d.fail("the end of an array")
		return false
	}
	return true
}

// Calls `element` for each element of an array.
func (d *decoder) array(element func()) {
	for i := 0; d.element(i); i++ {
		element()
	}
}

// Calls `member` at the value of each member of an object; it must read or skip the value.
func (d *decoder) object(member func(name string)) {
	if !d.take('{') {
		d.fail("an object")
		return
	}
	if d.take('}') {
		return
	}
	for d.err == nil {
		name := d.text()
		if !d.take(':') {
			d.fail("a member")
			return
		}
		member(name)
		if d.take('}') {
			return
		}
		if !d.take(',') {
			d.fail("the end of an object")
		}
	}
}

// A row that is being read, member by member.
type rowReader struct {
	names              []string
	at, expected, seen int
	isUnderWay         bool
	// The column that errors name outside of this row.
	outside string
}

// Whether there is a further column, whose value is to be read next: `row.at` is its place. Columns are expected in the order of the names, and found in
// each; all are wanted, and others skipped.
func (d *decoder) nextColumn(row *rowReader) bool {
	if row.isUnderWay {
		d.column = row.outside
	} else {
		row.outside = d.column
		if !d.take('{') {
			d.fail("a row")
			return false
		}
	}
	for d.err == nil {
		isFirst := !row.isUnderWay
		row.isUnderWay = true
		if d.take('}') {
			if row.seen < len(row.names) {
				d.fail(fmt.Sprintf("a row of %s", strings.Join(row.names, ", ")))
			}
			return false
		}
		if !isFirst && !d.take(',') {
			d.fail("the end of a row")
			return false
		}
		at := d.place(row)
		if !d.take(':') {
			d.fail("a member")
			return false
		}
		if at < 0 {
			d.skip()
			continue
		}
		d.column = row.names[at]
		row.at, row.expected = at, at+1
		row.seen++
		return true
	}
	return false
}

// The place of the next name, -1 for one that nobody wants.
func (d *decoder) place(row *rowReader) int {
	inside, isEscaped := d.raw()
	if !isEscaped && row.expected < len(row.names) && string(inside) == row.names[row.expected] {
		return row.expected
	}
	name := string(inside)
	if isEscaped {
		name = d.unescaped(inside)
	}
	for i := range row.names {
		if row.names[i] == name {
			return i
		}
	}
	return -1
}

// Calls `read` for each column of a row.
func (d *decoder) row(names []string, read func(i int)) {
	for row := (rowReader{names: names}); d.nextColumn(&row); {
		read(row.at)
	}
}

// Goes over one value, and gives its text.
func (d *decoder) skip() []byte {
	c := d.peek()
	start := d.at
	if d.depth++; d.depth > depthMax {
		d.fail("less depth")
	}
	switch {
	case c == '{':
		d.object(func(string) { d.skip() })
	case c == '[':
		d.array(func() { d.skip() })
	case c == '"':
		d.raw()
	case c == '-' || c-'0' <= 9:
		d.float64()
	case !d.null():
		d.bool()
	}
	d.depth--
	if d.err != nil {
		return nil
	}
	return d.input[start:d.at]
}

// The members of an object with the text of their values.
func membersOf(text []byte) (map[string][]byte, error) {
	d := &decoder{input: text}
	members := map[string][]byte{}
	d.object(func(name string) { members[name] = d.skip() })
	if d.err == nil && d.peek() != 0 {
		d.fail("the end")
	}
	return members, d.err
}

// The text of a JSON string; the empty text for anything else.
func textOf(text []byte) string {
	d := &decoder{input: text}
	found := d.text()
	if d.err != nil {
		return ""
	}
	return found
}

func elementsOf(text []byte) [][]byte {
	d := &decoder{input: text}
	var elements [][]byte
	d.array(func() { elements = append(elements, d.skip()) })
	if d.err != nil {
		return nil
	}
	return elements
}

var errNoRow = errors.New("svc: there is no row, against what the schema promises")

// Null is a value that can be NULL: OK tells whether there is one.
type Null[T any] struct {
	V  T
	OK bool
}

// Some is a value that is not NULL.
func Some[T any](value T) Null[T] { return Null[T]{V: value, OK: true} }

// Ptr is nil for NULL.
func (n Null[T]) Ptr() *T {
	if !n.OK {
		return nil
	}
	return &n.V
}

// Or is the value, or other for NULL.
func (n Null[T]) Or(other T) T {
	if n.OK {
		return n.V
	}
	return other
}

// Opt is a value of a new row that may be left to the default of its column.
type Opt[T any] struct {
	value T
	isSet bool
}

// Set gives a column that has a default another value.
func Set[T any](value T) Opt[T] { return Opt[T]{value: value, isSet: true} }
