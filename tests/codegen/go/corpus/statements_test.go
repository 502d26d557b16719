package db

import (
	"encoding/json"
	"fmt"
	"strconv"
)

func (in *interpreter) cells(t *table, row any) []*ex {
	cells := make([]*ex, len(t.columns))
	for name, v := range row.(map[string]any) {
		at := t.position(name)
		if at < 0 {
			panic(buildErrorf("no column %s", name))
		}
		cells[at] = beside(v, &ex{typ: t.columns[at].typ, format: t.columns[at].format})
	}
	return cells
}

func (in *interpreter) assigns(t *table, s *source, pairs any) []Assign {
	var sets []Assign
	for _, pair := range pairs.([]any) {
		name := pair.([]any)[0].(string)
		at := t.position(name)
		if at < 0 {
			panic(buildErrorf("no column %s", name))
		}
		sets = append(sets, Assign{s.handles[at], in.x(pair.([]any)[1], s.handles[at])})
	}
	return sets
}

// Statements with the one whose result is asked for, and how that is read.
type built struct {
	statements []any
	last       any
	read       reader
}

func builtOf[T, R any](w *Write[T, R], read reader) *built {
	if w.err != nil {
		panic(w.err)
	}
	return &built{w.statements, w.last, read}
}

// Nil for what is no statement.
func (in *interpreter) statement(tree []any) *built {
	get := func(i int) any {
		if i < len(tree) {
			return tree[i]
		}
		return nil
	}
	var t *table
	at := -1
	if name, ok := get(1).(string); ok && tree[0] != "rel" && tree[0] != "use" && tree[0] != "let" {
		for i, each := range in.tables {
			if each.name == name {
				t, at = each, i
			}
		}
	}
	row := func() reader { return readerOfRows(scanQuery(t, nil)) }
	list := func(w *writing) *built {
		made := writeMany(w, row())
		return builtOf(made, listReader(made.read))
	}
	first := func(w *writing) *built {
		made := writeMaybe(w, row())
		return builtOf(made, nullReader(made.read))
	}
	rows := func() [][]*ex {
		all := [][]*ex{}
		for _, row := range get(2).([]any) {
			all = append(all, in.cells(t, row))
		}
		return all
	}
	switch tree[0] {
	case "insert":
		made := writeOne(insertOne(t, in.cells(t, get(2))), row())
		return builtOf(made, made.read)
	case "insertMany":
		made := insertMany(t, rows(), row(), func(row *any) []*ex {
			var key []*ex
			for _, at := range t.keys[0] {
				c := t.columns[at]
				key = append(key, beside(jsonOf((*row).(map[string]any)[c.name]), &ex{typ: c.typ, format: c.format}))
			}
			return key
		})
		return builtOf(made, listReader(made.read))
	case "insertFrom", "updateFrom":
		from, _ := in.tryQuery(get(2).([]any))
		kind := map[any]string{"insertFrom": "create", "updateFrom": "update"}[tree[0]]
		return list(writeFrom(kind, t, Joined{from.q}, in.within(from.sides).assigns(t, t.newSource(false), get(3))))
	case "insertIgnore", "upsert":
		var on []string
		var merge func(current, input *source) []Assign
		if names, ok := get(3).([]any); ok {
			for _, name := range names {
				on = append(on, name.(string))
			}
		}
		if set, ok := get(4).([]any); ok {
			merge = func(current, input *source) []Assign {
				if len(set) > 0 && isTree(set[0]) {
					return in.within([]side{in.side(at, current), in.side(at, input)}).assigns(t, current, set)
				}
				var sets []Assign
				for i, column := range t.columns {
					for _, name := range set {
						if name == column.name {
							sets = append(sets, Assign{current.handles[i], input.handles[i]})
						}
					}
				}
				return sets
			}
		}
		return list(upsert(t, rows(), on, merge, tree[0] == "upsert"))
	case "update":
		r := in.byKey(at, get(2))
		return first(updateRows(t, r.q, r.sides[0].source, in.within(r.sides).assigns(t, r.sides[0].source, get(3)), maybe))
	case "updateWhere":
		r, s := in.scan(at)
		here := in.within(r.sides)
		return list(updateRows(t, r.q.where(here.x(get(2), nil)), s, here.assigns(t, s, get(3)), many))
	case "delete":
		r := in.byKey(at, get(2))
		return first(deleteRows(t, r.q, r.sides[0].source, maybe))
	case "deleteWhere":
		r, s := in.scan(at)
		return list(deleteRows(t, r.q.where(in.within(r.sides).x(get(2), nil)), s, many))
	}
	return nil
}

// A canonical value as one of a tree.
func jsonOf(value any) any {
	switch v := value.(type) {
	case float64:
		return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
	default:
		return v
	}
}

// A query over results.
func (in *interpreter) results(pairs any) *query {
	return oneRow().on("select", queryParts{fields: in.fields(pairs)})
}

func ofReader(read reader) func(made *compiled, err error) (operation, error) {
	return func(made *compiled, err error) (operation, error) { return operation{made, read}, err }
}

func ofValue(e *ex) reader { return valueReader(e.typ, e.format, e.nullable) }

func (in *interpreter) compile(tree []any) (operation, error) {
	switch tree[0] {
	case "all":
		return queried(in.results(tree[1]))
	case "let":
		return in.let(tree).compile(tree[3].([]any))
	case "program":
		return in.program(tree)
	case "page":
		return in.page(tree)
	}
	if made := in.statement(tree); made != nil {
		return ofReader(made.read)(compileProgram(made.statements, made.last))
	}
	if r, ok := in.tryQuery(tree); ok {
		return queried(r.q)
	}
	e := in.e(tree)
	made, err := compileQuery(valueQuery(e))
	if err == nil {
		made.member = "value"
	}
	return operation{made, ofValue(e)}, err
}

func queried(q *query) (operation, error) {
	made, err := compileQuery(q)
	if err != nil {
		return operation{}, err
	}
	return operation{made, queryReader(q)}, nil
}

func (in *interpreter) page(tree []any) (operation, error) {
	r, _ := in.tryQuery(tree[1].([]any))
	given := tree[2].(map[string]any)
	options := PageOptions{Size: number(given["size"], "size")}
	options.After, _ = given["after"].(string)
	options.Before, _ = given["before"].(string)
	made, parts, shape, err := compilePage(r.q, options)
	if err != nil {
		return operation{}, err
	}
	return operation{made, func(d *decoder, value *any) {
		rows := []any{}
		read := readerOfRows(r.q)
		page := readPage(d, parts, shape, options.After != "", func(d *decoder) {
			var row any
			read(d, &row)
			rows = append(rows, row)
		})
		cursor := func(text string) any {
			if text == "" {
				return nil
			}
			return text
		}
		*value = map[string]any{"rows": rowsOfPage(page, rows), "next": cursor(page.next), "previous": cursor(page.previous)}
	}}, nil
}

func (in *interpreter) program(tree []any) (operation, error) {
	p := NewProgram()
	here := in
	readers := map[any]reader{}
	for _, each := range tree[1].([]any) {
		step := each.([]any)
		name, what := step[1].(string), step[2].([]any)
		switch step[0] {
		case "do":
			made := here.statement(what)
			last := made.last
			p.add(made.statements...)
			if rows, ok := last.(*query); ok {
				last = &reading{query: rows, table: in.tables[in.table(what[1])]}
				p.add(last)
			}
			readers[last] = made.read
			here = here.named(name, meaning{done: last})
		case "query":
			r, _ := here.tryQuery(what)
			reading := &reading{query: r.q}
			p.add(reading)
			readers[reading] = queryReader(r.q)
			here = here.named(name, meaning{done: reading, rel: &r})
		case "ensure":
			if m, ok := here.names[fmt.Sprint(what[1])]; ok && what[0] == "use" && m.done != nil {
				p.Ensure(name, Joined{here.rowsOf(m).q})
			} else if r, ok := here.tryQuery(what); ok {
				p.Ensure(name, Joined{r.q})
			} else {
				p.Ensure(name, &BoolExpr{here.e(what)})
			}
		}
	}
	if p.err != nil {
		return operation{}, p.err
	}
	result, _ := tree[2].([]any)
	if result == nil {
		return ofReader(func(d *decoder, _ *any) { d.skip() })(compileProgram(p.statements, nil))
	}
	if result[0] == "use" {
		if m := here.names[result[1].(string)]; m.done != nil {
			return ofReader(readers[m.done])(compileProgram(p.statements, m.done))
		}
	}
	var q *query
	if result[0] == "all" {
		q = here.results(result[1])
	} else if r, ok := here.tryQuery(result); ok {
		q = r.q
	} else {
		e := here.e(result)
		return ofReader(ofValue(e))(compileProgram(p.statements, e))
	}
	made, err := compileProgram(p.statements, q)
	if err != nil {
		return operation{}, err
	}
	return operation{made, queryReader(q)}, nil
}

func (in *interpreter) made(tree []any) (made operation, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			wrong, ok := thrown.(*BuildError)
			if !ok {
				panic(thrown)
			}
			err = wrong
		}
	}()
	return in.compile(tree)
}
