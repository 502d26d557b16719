package db

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
)

// Answers of any shape as JSON that is the same in every language, read by what generated code calls.

type reader = func(d *decoder, value *any)

// A column of rows: a value, or nested rows.
type column struct {
	name, typ, format string
	nullable          bool
	nested            *query
}

func columnsOf(q *query) []column {
	switch q.op {
	case "scan", "ref":
		var all []column
		for _, c := range q.table.columns {
			all = append(all, column{name: c.name, typ: c.typ, format: c.format, nullable: c.isNullable})
		}
		return all
	case "rows":
		var all []column
		for _, c := range q.columns {
			all = append(all, column{name: c.name, typ: c.typ, nullable: c.isNullable})
		}
		return all
	case "refQuery":
		return columnsOf(q.statement.(*reading).query)
	case "select":
		return columnsOfFields(q.fields)
	case "group":
		return columnsOfFields(append(append([]field(nil), q.fields...), q.folds...))
	case "join":
		right := columnsOf(q.inputs[1])
		for i := range right {
			right[i].nullable = right[i].nullable || q.kind == "left"
		}
		return append(columnsOf(q.inputs[0]), right...)
	case "set", "recursive":
		left, right := columnsOf(q.inputs[0]), columnsOf(q.inputs[1])
		for i := range left {
			left[i].nullable = left[i].nullable || right[i].nullable
		}
		return left
	}
	return columnsOf(q.inputs[0])
}

func columnsOfFields(fields []field) []column {
	all := make([]column, len(fields))
	for i, f := range fields {
		all[i] = column{name: f.name, nested: f.nested}
		if f.of != nil {
			all[i].typ, all[i].format, all[i].nullable = f.of.typ, f.of.format, f.of.nullable
		}
	}
	return all
}

func readerOfRows(q *query) reader {
	columns := columnsOf(q)
	names, readers := make([]string, len(columns)), make([]reader, len(columns))
	for i, c := range columns {
		names[i] = c.name
		if c.nested == nil {
			readers[i] = valueReader(c.typ, c.format, c.nullable)
		} else {
			readers[i] = queryReader(c.nested)
		}
	}
	return func(d *decoder, value *any) {
		row := map[string]any{}
		d.row(names, func(i int) {
			var cell any
			readers[i](d, &cell)
			row[names[i]] = cell
		})
		*value = row
	}
}

func queryReader(q *query) reader {
	read := readerOfRows(q)
	switch q.card {
	case one:
		return readOne(read)
	case maybe:
		return nullReader(readMaybe(read))
	}
	return listReader(readMany(read))
}

func nullReader(read func(d *decoder, row *Null[any])) reader {
	return func(d *decoder, value *any) {
		var row Null[any]
		read(d, &row)
		*value = row.V
	}
}

func listReader(read func(d *decoder, rows *[]any)) reader {
	return func(d *decoder, value *any) {
		var rows []any
		read(d, &rows)
		*value = rows
	}
}

func valueReader(typ, format string, nullable bool) reader {
	switch typ {
	case textType:
		return scalarReader(textCodec, nullable, func(v string) any { return v })
	case boolType:
		return scalarReader(boolCodec, nullable, func(v bool) any { return v })
	case intType:
		return scalarReader(intCodec, nullable, canonicalInt)
	case floatType:
		return scalarReader(floatCodec, nullable, canonicalFloat)
	}
	switch format {
	case "uuid":
		return scalarReader(uuidCodec, nullable, func(v UUID) any { return v.String() })
	case "ulid":
		return scalarReader(ulidCodec, nullable, func(v ULID) any { return v.String() })
	case "xid":
		return scalarReader(xidCodec, nullable, func(v XID) any { return v.String() })
	}
	return scalarReader(bytesCodec, nullable, func(v []byte) any {
		return map[string]any{"$bytes": base64.StdEncoding.EncodeToString(v)}
	})
}

func scalarReader[T any](c *codec[T], nullable bool, canonical func(v T) any) reader {
	return func(d *decoder, value *any) {
		if !nullable {
			*value = canonical(c.read(d))
		} else if found := c.readNull(d); found.OK {
			*value = canonical(found.V)
		}
	}
}

func canonicalInt(v int64) any {
	if v > -1<<53 && v < 1<<53 {
		return float64(v)
	}
	return map[string]any{"$int64": strconv.FormatInt(v, 10)}
}

func canonicalFloat(v float64) any {
	if v == 0 && math.Signbit(v) {
		return map[string]any{"$float": "-0"}
	}
	return v
}

// What a tree of the corpus stands for, as applications run what they have built.
type operation struct {
	made *compiled
	read reader
}

func (o operation) compile(string) (*compiled, func(d *decoder, value *any), error) {
	return o.made, o.read, nil
}

type outcome struct {
	Text    *string
	Result  any
	Problem map[string]any
}

func (o outcome) String() string {
	text := "nothing sent"
	if o.Text != nil {
		text = *o.Text
	}
	return fmt.Sprintf("%s\nresult %v, problem %v", text, o.Result, o.Problem)
}

// Builds a tree, and asks the server where there is one.
func (in *interpreter) outcome(tree []any, client *Client) outcome {
	made, err := in.made(tree)
	if err != nil {
		return outcome{Problem: problemOf(err)}
	}
	text := string(made.made.body)
	if client == nil {
		return outcome{Text: &text}
	}
	result, err := Execute[any](context.Background(), client, made)
	if err != nil {
		return outcome{Text: &text, Problem: problemOf(err)}
	}
	return outcome{Text: &text, Result: result}
}

// As `errors.Is` tells applications: the closest class, by the name that the corpus has for it.
var classNames = []struct {
	name  string
	class error
}{
	{"ConstraintError", ErrConstraint}, {"ReadOnlyError", ErrReadOnly}, {"SchemaMismatchError", ErrSchema}, {"EnsureError", ErrEnsure},
	{"CardinalityError", ErrCardinality}, {"TargetNotFoundError", ErrTargetNotFound}, {"LimitError", ErrLimit},
	{"OutcomeUnknownError", ErrOutcomeUnknown}, {"OverloadedError", ErrOverloaded}, {"InvalidError", ErrInvalid}, {"ExecutionError", ErrExecution},
	{"ConflictError", ErrConflict}, {"NotFoundError", ErrNotFound}, {"AuthError", ErrAuth}, {"InternalError", ErrInternal},
}

func problemOf(err error) map[string]any {
	var told *Error
	var build *BuildError
	var cursor *CursorError
	switch {
	case errors.As(err, &build):
		return map[string]any{"class": "BuildError"}
	case errors.As(err, &cursor):
		return map[string]any{"class": "CursorError"}
	case !errors.As(err, &told):
		return map[string]any{"class": err.Error()}
	}
	problem := map[string]any{"code": told.Code, "reason": told.Reason}
	for _, one := range classNames {
		if errors.Is(err, one.class) {
			problem["class"] = one.name
			break
		}
	}
	if guard := told.Guard(); guard != "" {
		problem["guard"] = guard
	}
	return problem
}

// A new database in the place of the one that a case has changed.
func reset(url string) error {
	answer, err := http.Post(url+"/reset", "text/plain", nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
