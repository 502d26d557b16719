package svc

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// PageOptions selects the rows of a page.
type PageOptions struct {
	// Rows at most, 1 to 100,000.
	Size int
	// A cursor of an earlier page of the same query: rows behind it.
	After string
	// A cursor of an earlier page of the same query: rows in front of it.
	Before string
}

// Page is a part of the rows of a query, with cursors for the next and the previous page.
type Page[R any] struct {
	Rows []R
	// For After; empty when these are the last rows.
	Next string
	// For Before; empty when these are the first rows.
	Previous string
}

// CursorError is the error of a text that is not a cursor, or a cursor of another query.
type CursorError struct{ Message string }

func (e *CursorError) Error() string { return "svc: " + e.Message }

const (
	cursorVersion = "1"
	pageSizeMax   = 100_000
)

// What a page is made of, known when it stands in a document.
type pageParts struct {
	base   *query
	terms  []term
	fields []field
	given  [][]byte
	isBack bool
	size   int
	// Set by relation: the types of the terms with the key, and what their names begin with.
	types []string
	mark  string
}

// The projection, the order and what lies below them.
func pagePartsOf(q *query) (*pageParts, error) {
	switch q.op {
	case "same":
		return pagePartsOf(q.inputs[0])
	case "select":
		inner, err := pagePartsOf(q.inputs[0])
		if err != nil {
			return nil, err
		}
		if inner.fields != nil {
			return nil, buildErrorf("Page wants one Select")
		}
		inner.fields = q.fields
		return inner, nil
	case "order":
		if q.terms != nil {
			return &pageParts{base: q.inputs[0], terms: q.terms}, nil
		}
	case "slice":
		return nil, buildErrorf("Page has its own limit")
	case "where":
		if q.isOrderedBy() {
			inner, err := pagePartsOf(q.inputs[0])
			if err != nil {
				return nil, err
			}
			if inner.fields != nil {
				return nil, buildErrorf("Page wants Where in front of Select, or OrderBy behind both")
			}
			inner.base = inner.base.on("where", queryParts{predicate: q.predicate})
			return inner, nil
		}
	}
	return &pageParts{base: q}, nil
}

func compilePage(q *query, options PageOptions) (*compiled, *pageParts, string, error) {
	if q.card != many {
		return nil, nil, "", buildErrorf("Page wants a query of many rows")
	}
	if options.Size < 1 || options.Size > pageSizeMax {
		return nil, nil, "", buildErrorf("Size: 1 to %d", pageSizeMax)
	}
	if options.After != "" && options.Before != "" {
		return nil, nil, "", buildErrorf("a page is after or before a cursor, not both")
	}
	parts, err := pagePartsOf(q)
	if err != nil {
		return nil, nil, "", err
	}
	plain, err := compileQuery(q)
	if err != nil {
		return nil, nil, "", err
	}
	shape := shapeOf(plain.body)
	cursor := options.After + options.Before
	if cursor != "" {
		if parts.given, err = cursorValues(cursor, shape); err != nil {
			return nil, nil, "", err
		}
	}
	parts.isBack, parts.size = options.Before != "", options.Size
	paged := &query{op: "page", inputs: []*query{parts.base}, queryParts: queryParts{page: parts}, card: many, name: q.name}
	c, err := compileQuery(paged)
	return c, parts, shape, err
}

func (p *pageParts) relation(d *document) relation {
	input := d.relation(p.base)
	if d.err != nil {
		return input
	}
	if input.key == nil {
		d.fail(buildErrorf("Page wants rows with a key: Union, Distinct, List, Group without keys and Select have none to go on from"))
		return input
	}
	terms := p.allTerms(d, input.key)
	p.types = typesOf(terms)
	if p.given != nil && len(p.given) != len(terms) {
		d.fail(&CursorError{"the cursor is of another query: begin with the first page"})
		return input
	}
	turned := make([]term, len(terms))
	for i, t := range terms {
		turned[i] = term{t.of, t.isDesc != p.isBack}
	}
	if p.given != nil {
		values := make([]*ex, len(terms))
		for i, text := range p.given {
			values[i] = cursorValue(turned[i].of, text)
			if values[i] == nil {
				d.fail(&CursorError{"that is no cursor"})
				return input
			}
		}
		input = d.filter(input, behind(turned, values))
	}
	sorted := d.sorted(input, turned)
	cut := sorted
	cut.node = d.node("slice", func(b []byte) []byte {
		return strconv.AppendInt(append(b, `"input":"`+sorted.node+`","limit":`...), int64(p.size+1), 10)
	})
	var fields []field
	if p.fields != nil {
		fields = append(fields, p.fields...)
	} else {
		for _, column := range input.out {
			fields = append(fields, field{name: column.name, of: column.at})
		}
	}
	// Beside what is selected under any name.
	p.mark = "$k"
	for slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.name, p.mark) }) {
		p.mark = "$" + p.mark
	}
	for i, t := range terms {
		fields = append(fields, field{name: p.mark + strconv.Itoa(i), of: t.of})
	}
	return d.project(cut, fields)
}

// The order, and the key behind it.
func (p *pageParts) allTerms(d *document, key []*ex) []term {
	var terms []term
	for _, t := range p.terms {
		if column := d.columns[t.of]; column != nil {
			t.of = column
		}
		terms = append(terms, t)
	}
	given := terms
next:
	for _, column := range key {
		for _, t := range given {
			if t.of.op == "col" && t.of.label == column.label && t.of.name == column.name {
				continue next
			}
		}
		terms = append(terms, term{of: column})
	}
	return terms
}

// A value of a cursor beside an expression; nil for what cannot be.
func cursorValue(of *ex, text []byte) *ex {
	d := &decoder{input: text}
	if d.null() {
		return nullEx(of.typ)
	}
	switch of.typ {
	case boolType:
		return boolEx(d.bool())
	case intType:
		plain := string(text)
		if plain != "" && plain[0] == '"' {
			plain = textOf(text)
		}
		number, err := strconv.ParseInt(plain, 10, 64)
		if err != nil {
			return nil
		}
		return intCodec.literal(number)
	case floatType:
		plain := string(text)
		if plain != "" && plain[0] == '"' {
			plain = textOf(text)
		}
		number, err := strconv.ParseFloat(plain, 64)
		if err != nil {
			return nil
		}
		return floatCodec.literal(number)
	case bytesType:
		found := d.text()
		if d.err != nil {
			return nil
		}
		var uuid UUID
		var ulid ULID
		var xid XID
		switch {
		case of.format == "uuid" && uuid.UnmarshalText([]byte(found)) == nil:
			return uuidCodec.literal(uuid)
		case of.format == "ulid" && ulid.UnmarshalText([]byte(found)) == nil:
			return ulidCodec.literal(ulid)
		case of.format == "xid" && xid.UnmarshalText([]byte(found)) == nil:
			return xidCodec.literal(xid)
		}
		plain, ok := decodeBase64(found)
		if !ok {
			return nil
		}
		return bytesCodec.literal(plain)
	}
	found := d.text()
	if d.err != nil {
		return nil
	}
	return textCodec.literal(found)
}

// The bound of the first term in front: an index is read from there.
func behind(terms []term, values []*ex) *ex {
	var chain func(i int) *ex
	chain = func(i int) *ex {
		further := beyond(terms[i], values[i])
		var tie *ex
		if i+1 < len(terms) {
			if rest := chain(i + 1); rest != nil {
				tie = compareEx("and", equalTo(terms[i], values[i]), rest)
			}
		}
		switch {
		case further == nil:
			return tie
		case tie == nil:
			return further
		}
		return compareEx("or", further, tie)
	}
	found := chain(0)
	if found == nil {
		found = boolEx(false)
	}
	first := terms[0]
	if values[0].isNull || first.isDesc && first.of.nullable {
		return found
	}
	op := "gte"
	if first.isDesc {
		op = "lte"
	}
	return compareEx("and", compareEx(op, first.of, values[0]), found)
}

func equalTo(t term, value *ex) *ex {
	if value.isNull {
		return testEx("is_null", t.of)
	}
	return compareEx("eq", t.of, value)
}

// NULL comes first ascending, last descending; nil where nothing lies beyond.
func beyond(t term, value *ex) *ex {
	if value.isNull {
		if t.isDesc {
			return nil
		}
		return testEx("is_not_null", t.of)
	}
	if !t.isDesc {
		return compareEx("gt", t.of, value)
	}
	compared := compareEx("lt", t.of, value)
	if t.of.nullable {
		return compareEx("or", compared, testEx("is_null", t.of))
	}
	return compared
}

// What a cursor belongs to: the text of the query.
func shapeOf(body []byte) string {
	hash := uint32(0x811c9dc5)
	for _, character := range string(body) {
		hash = (hash ^ uint32(character)) * 0x01000193
	}
	return strconv.FormatUint(uint64(hash), 36)
}

// Values stand in a cursor as they stand in answers; integers of 16 digits and more as texts, so that every reader keeps them.
func cursorText(shape string, values [][]byte) string {
	b := append([]byte(`[`+cursorVersion+`,"`+shape), `",[`...)
	for i, value := range values {
		if i > 0 {
			b = append(b, ',')
		}
		if isLongInteger(value) {
			b = append(append(append(b, '"'), value...), '"')
		} else {
			b = append(b, value...)
		}
	}
	return base64.RawURLEncoding.EncodeToString(append(b, "]]"...))
}

func isLongInteger(text []byte) bool {
	digits := 0
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c != '-' || i > 0:
			return false
		}
	}
	return digits >= 16
}

func cursorValues(cursor, shape string) ([][]byte, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	d := &decoder{input: text}
	whole := d.skip()
	if err != nil || d.err != nil || d.peek() != 0 || len(whole) == 0 || whole[0] != '[' {
		return nil, &CursorError{"that is no cursor"}
	}
	parts := elementsOf(whole)
	if len(parts) != 3 || string(parts[0]) != cursorVersion || textOf(parts[1]) != shape || parts[2][0] != '[' {
		return nil, &CursorError{"the cursor is of another query: begin with the first page"}
	}
	return elementsOf(parts[2]), nil
}

func typesOf(terms []term) []string {
	types := make([]string, len(terms))
	for i, t := range terms {
		types[i] = t.of.typ
	}
	return types
}

// A value of a key as it stands in a cursor: the same text in every language.
func keyValue(d *decoder, typ string) []byte {
	start := d.at
	text := d.skip()
	if typ != floatType || string(text) == "null" {
		return text
	}
	d.at = start
	value := d.float64()
	if value == 0 {
		// -0 has the place of 0 in an order.
		return []byte{'0'}
	}
	return appendFloat(nil, value)
}

// The rows of a page that are wanted of those that came, which are one more where there are further ones.
type pageFound struct {
	count          int
	isBack         bool
	next, previous string
}

// Those of a page before a cursor came the other way round.
func rowsOfPage[R any](page pageFound, rows []R) []R {
	rows = rows[:page.count]
	if page.isBack {
		slices.Reverse(rows)
	}
	return rows
}

func performPage(ctx context.Context, r Runner, q *query, options PageOptions, row func(d *decoder)) (pageFound, error) {
	c, parts, shape, err := compilePage(q, options)
	if err != nil {
		return pageFound{}, err
	}
	var page pageFound
	err = perform(ctx, r, c, func(d *decoder) { page = readPage(d, parts, shape, options.After != "", row) })
	return page, err
}

func readPage(d *decoder, parts *pageParts, shape string, isAfter bool, row func(d *decoder)) pageFound {
	var keys [][][]byte
	wanted := make([]string, len(parts.types))
	for i := range wanted {
		wanted[i] = parts.mark + strconv.Itoa(i)
	}
	d.array(func() {
		start := d.at
		row(d)
		if d.err != nil {
			return
		}
		values := make([][]byte, len(wanted))
		inner := &decoder{input: d.input[:d.at], at: start}
		inner.row(wanted, func(i int) { values[i] = keyValue(inner, parts.types[i]) })
		if inner.err != nil {
			d.err = inner.err
		}
		keys = append(keys, values)
	})
	page := pageFound{count: min(len(keys), parts.size), isBack: parts.isBack}
	if d.err != nil || page.count == 0 {
		return page
	}
	hasMore := len(keys) > parts.size
	first, last := cursorText(shape, keys[0]), cursorText(shape, keys[page.count-1])
	if parts.isBack {
		first, last = last, first
	}
	if parts.isBack || hasMore {
		page.next = last
	}
	if parts.isBack && hasMore || !parts.isBack && isAfter {
		page.previous = first
	}
	return page
}
