package svc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// What the generated file brings.
type generated struct {
	version int64
	hash    string
	tables  []*table
}

// Asks a server once whether its schema fits, before anything else is sent to it.
type schemaGuard struct {
	server    *server
	generated *generated
	isFit     atomic.Bool
	asking    flight[struct{}]
	mutex     sync.Mutex
	// The hash that was told last.
	drift string
}

func (g *schemaGuard) ready(ctx context.Context) error {
	if g.isFit.Load() {
		return nil
	}
	_, err := g.asking.do(ctx, func(ctx context.Context) (struct{}, error) { return struct{}{}, g.ask(ctx) })
	return err
}

// Looks again where an error may come of a schema that has changed: nil when it has not, or not for this client.
func (g *schemaGuard) review(ctx context.Context, err error) error {
	var problem *Error
	if g.server.channel.options.schema == SchemaOff || !errors.As(err, &problem) {
		return nil
	}
	switch problem.Reason {
	case "unknown_table", "unknown_column", "type_mismatch":
		g.isFit.Store(false)
		return g.ready(ctx)
	}
	return nil
}

func (g *schemaGuard) ask(ctx context.Context) error {
	ch := g.server.channel
	body := fmt.Appendf(nil, `{"schema_version":%d,"schema_hash":`, g.generated.version)
	body = append(appendText(body, g.generated.hash), '}')
	_, err := ch.request(ctx, asked{
		name: "schema check", kind: "schema", readOnly: true, method: "POST", url: g.server.origin + "/schema/compatibility", body: body,
		headers:  func(_ string, to http.Header) { to.Set("Content-Type", "application/json") },
		isUsable: func(body []byte) bool { return len(body) == 0 },
	})
	if errors.Is(err, ErrSchema) && ch.options.schema != SchemaExact {
		err = g.compare(ctx, err)
	}
	if err == nil {
		g.isFit.Store(true)
	}
	return err
}

func (g *schemaGuard) compare(ctx context.Context, mismatch error) error {
	ch := g.server.channel
	var schema serverSchema
	_, err := ch.request(ctx, asked{
		name: "schema check", kind: "schema", readOnly: true, method: "GET", url: g.server.origin + "/schema",
		headers:  func(string, http.Header) {},
		isUsable: func(body []byte) bool { return schema.read(body) },
	})
	if err != nil || schema.hash == g.generated.hash {
		return err
	}
	if differences := differencesOf(g.generated.tables, schema.tables); len(differences) > 0 {
		var problem *Error
		errors.As(mismatch, &problem)
		told := *problem
		told.Differences, told.cause = differences, mismatch
		told.Detail = "the server's schema does not fit this client: " + strings.Join(differences, "; ")
		return &told
	}
	g.mutex.Lock()
	isNew := g.drift != schema.hash
	g.drift = schema.hash
	g.mutex.Unlock()
	if isNew && ch.options.onDrift != nil {
		ch.options.onDrift(SchemaDrift{schema.version, schema.hash})
	}
	return nil
}

// What GET /schema tells, as far as it is looked at.
type serverSchema struct {
	version int64
	hash    string
	tables  []serverTable
}

type serverTable struct {
	name    string
	columns []tableColumn
	keys    [][]string
}

func (s *serverSchema) read(text []byte) bool {
	members, err := membersOf(text)
	if err != nil {
		return false
	}
	inside, err := membersOf(members["schema"])
	if err != nil || len(inside["tables"]) == 0 || inside["tables"][0] != '[' {
		return false
	}
	*s = serverSchema{version: intOf(members["schema_version"]), hash: textOf(members["schema_hash"])}
	for _, each := range elementsOf(inside["tables"]) {
		of, _ := membersOf(each)
		table := serverTable{name: textOf(of["name"]), keys: [][]string{namesIn(of["primary_key"])}}
		for _, each := range elementsOf(of["columns"]) {
			column, _ := membersOf(each)
			table.columns = append(table.columns, tableColumn{
				name: textOf(column["name"]), typ: textOf(column["type"]), format: textOf(column["format"]),
				isNullable: string(column["nullable"]) == "true", hasDefault: column["default"] != nil,
			})
		}
		for _, each := range elementsOf(of["indexes"]) {
			index, _ := membersOf(each)
			if string(index["unique"]) == "true" {
				table.keys = append(table.keys, namesIn(index["columns"]))
			}
		}
		s.tables = append(s.tables, table)
	}
	return true
}

func namesIn(text []byte) []string {
	var names []string
	for _, each := range elementsOf(text) {
		names = append(names, textOf(each))
	}
	return names
}

// What of the known tables is not there, or not as it was; one sentence each.
func differencesOf(known []*table, server []serverTable) []string {
	var differences []string
	for _, table := range known {
		at := slices.IndexFunc(server, func(each serverTable) bool { return each.name == table.name })
		if at < 0 {
			differences = append(differences, "table "+table.name+" is not there")
			continue
		}
		differences = append(differences, differencesIn(table, server[at])...)
	}
	return differences
}

func differencesIn(known *table, found serverTable) []string {
	var differences []string
	for _, column := range known.columns {
		place := known.name + "." + column.name
		at := slices.IndexFunc(found.columns, func(each tableColumn) bool { return each.name == column.name })
		switch {
		case at < 0:
			differences = append(differences, "column "+place+" is not there")
		case found.columns[at].typ != column.typ || found.columns[at].format != column.format:
			differences = append(differences, "column "+place+" is "+found.columns[at].wireType()+", not "+column.wireType())
		case found.columns[at].isNullable && !column.isNullable:
			differences = append(differences, "column "+place+" may be null")
		}
	}
	for _, column := range found.columns {
		if !column.isNullable && !column.hasDefault && known.position(column.name) < 0 {
			differences = append(differences, "column "+known.name+"."+column.name+" is new, and an insert must give it")
		}
	}
	for _, key := range known.keys {
		names := make([]string, len(key))
		for i, at := range key {
			names[i] = known.columns[at].name
		}
		if !slices.ContainsFunc(found.keys, func(other []string) bool { return isSameSet(names, other) }) {
			differences = append(differences, known.name+"("+strings.Join(names, ", ")+") is not unique any more")
		}
	}
	return differences
}

func (c tableColumn) wireType() string { return strings.TrimRight(c.typ+" "+c.format, " ") }

// Columns are unique together in any order.
func isSameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
