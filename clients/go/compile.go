package svc

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

const programBytesMax = 4 << 20

// What the client sends for an operation.
type compiled struct {
	name     string
	kind     string // query or program
	readOnly bool
	body     []byte
	// JSON of the relation, for QUERY; nil where the program is more than one plain relation.
	relation []byte
	steps    []namedSteps
	// The result is an object with this member; the empty text: the result itself.
	member string
}

type namedSteps struct {
	name  string
	steps []step
}

func relationText(q *query, statements map[any]string, isInput bool) ([]byte, []step, error) {
	d := newDocument(statements)
	var text []byte
	if isInput {
		// The input of a statement that writes needs no order.
		text = d.text(d.explicit(q).node, "many")
	} else {
		cards := [...]string{many: "many", maybe: "first", one: "exactly_one"}
		text = d.text(d.shaped(q).node, cards[q.card])
	}
	return text, d.steps, d.err
}

func statementText(kind, name string, t *table, relation []byte) []byte {
	b := []byte(`{"kind":"` + kind + `","name":"` + name + `"`)
	if t != nil {
		b = appendText(append(b, `,"table":`...), t.name)
	}
	return append(append(append(b, `,"relation":`...), relation...), '}')
}

func compileQuery(q *query) (*compiled, error) {
	relation, steps, err := relationText(q, nil, false)
	if err != nil {
		return nil, err
	}
	name := q.name
	if name == "" {
		name = "p0"
	}
	body := append([]byte(`{"statements":[`), statementText("query", name, nil, relation)...)
	body = append(body, "]}"...)
	return bounded(&compiled{name: name, kind: "query", readOnly: true, body: body, relation: relation, steps: []namedSteps{{name, steps}}})
}

func bounded(c *compiled) (*compiled, error) {
	if len(c.body) > programBytesMax {
		return nil, buildErrorf("the program has more than %d bytes: send it in parts, or use Copy", programBytesMax)
	}
	return c, nil
}

// An expression as the only member of a row.
func valueQuery(of *ex) *query {
	return oneRow().on("select", queryParts{fields: []field{{name: "value", of: of}}})
}

// The result is the last statement where `selected` is not one of them.
func compileProgram(statements []any, selected any) (*compiled, error) {
	all := append([]any(nil), statements...)
	c := &compiled{kind: "program", readOnly: true}
	switch result := selected.(type) {
	case *query:
		selected = &reading{query: result}
		all = append(all, selected)
	case *ex:
		selected = &reading{query: valueQuery(result)}
		all = append(all, selected)
		c.member = "value"
	}
	if len(all) == 0 {
		return nil, buildErrorf("a program has one statement at least")
	}
	if len(all) > statementsMax+1 {
		return nil, buildErrorf("a program of more than %d statements", statementsMax)
	}
	names := map[any]string{}
	taken := map[string]bool{}
	var texts [][]byte
	for i, statement := range all {
		name := ""
		var text []byte
		var steps []step
		var err error
		switch s := statement.(type) {
		case *reading:
			name = s.query.name
			if s.guard != "" {
				name = guardPrefix + s.guard
			}
			if name == "" {
				name = "p" + strconv.Itoa(i)
			}
			text, steps, err = relationText(s.query, names, false)
			text = statementText("query", name, nil, text)
		case *write:
			c.readOnly = false
			name = s.input.name
			if name == "" {
				name = "p" + strconv.Itoa(i)
			}
			if err = s.err; err == nil {
				text, steps, err = relationText(s.input, names, true)
			}
			text = statementText(s.kind, name, s.table, text)
		}
		if err != nil {
			return nil, err
		}
		if taken[name] {
			return nil, buildErrorf("two statements are called %s", name)
		}
		taken[name] = true
		names[statement] = name
		texts = append(texts, text)
		c.steps = append(c.steps, namedSteps{name, steps})
	}
	if selected == nil {
		selected = all[len(all)-1]
	}
	shown, ok := names[selected]
	if !ok {
		return nil, buildErrorf("the result belongs to another program")
	}
	c.name = shown
	c.body = []byte("{")
	if len(all) > 1 {
		c.body = append(c.body, `"result":"`+shown+`",`...)
	}
	c.body = append(append(append(c.body, `"statements":[`...), bytes.Join(texts, []byte{','})...), "]}"...)
	return bounded(c)
}

var (
	statementPointer = regexp.MustCompile(`^/statements/(\d+)`)
	nodePointer      = regexp.MustCompile(`/nodes/(n\d+)`)
)

// `/statements/0/relation/nodes/n3/…` → `filter n3 of "feed"`; the empty text when unknown.
func (c *compiled) locate(pointer string) string {
	at := 0
	if found := statementPointer.FindStringSubmatch(pointer); found != nil {
		at, _ = strconv.Atoi(found[1])
	}
	if at >= len(c.steps) {
		return ""
	}
	of := c.steps[at]
	if found := nodePointer.FindStringSubmatch(pointer); found != nil {
		for _, step := range of.steps {
			if step.node == found[1] {
				return step.kind + " " + step.node + ` of "` + of.name + `"`
			}
		}
	}
	return `"` + of.name + `"`
}

// Text with places for parameters.
type segments []string

func segmentsOf(text []byte) segments { return strings.Split(string(text), string(paramMark)) }

func (s segments) with(values map[string]*ex) ([]byte, error) {
	size := 0
	for _, part := range s {
		size += len(part) + 32
	}
	b := make([]byte, 0, size)
	for i, part := range s {
		if i%2 == 0 {
			b = append(b, part...)
			continue
		}
		value := values[part]
		if value == nil {
			_, name, _ := strings.Cut(part, " ")
			return nil, buildErrorf("the parameter %s is missing", name)
		}
		if value.err != nil {
			return nil, value.err
		}
		b = append(b, `{"type":"`+value.typ+`"`...)
		if !value.isNull {
			b = append(append(b, `,"value":`...), value.text...)
		}
		b = append(b, '}')
	}
	return b, nil
}
