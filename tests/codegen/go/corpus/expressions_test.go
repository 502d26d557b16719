package db

import (
	"encoding/json"
	"fmt"
)

func (in *interpreter) e(tree []any) *ex {
	get := func(i int) any {
		if i < len(tree) {
			return tree[i]
		}
		return nil
	}
	of := func() *ex { return in.x(get(1), nil) }
	nested := func() rel {
		r, ok := in.tryQuery(get(1).([]any))
		if !ok {
			panic(buildErrorf("a query is wanted"))
		}
		return r
	}
	text := func(i int) string { s, _ := get(i).(string); return s }
	isFolded, _ := get(3).(bool)
	head := tree[0].(string)
	switch head {
	case "col":
		at, up := 0, 0
		if get(2) != nil {
			at = number(get(2), head)
		}
		if get(3) != nil {
			up = number(get(3), head)
		}
		e := in.frames[up][at].columns[text(1)]
		if e == nil {
			panic(buildErrorf("no column %s", text(1)))
		}
		return e
	case "lit":
		return beside(get(2), &ex{typ: text(1)})
	case "eq", "ne", "lt", "lte", "gt", "gte":
		left := of()
		if get(2) == nil {
			panic(buildErrorf("nothing equals NULL"))
		}
		return compareEx(head, left, in.x(get(2), left))
	case "same":
		left := of()
		if get(2) == nil {
			return testEx("is_null", left)
		}
		return sameEx(left, in.x(get(2), left))
	case "between":
		value := of()
		return allOf([]*ex{compareEx("gte", value, in.x(get(2), value)), compareEx("lte", value, in.x(get(3), value))})
	case "in":
		value := of()
		values := []*ex{}
		for _, v := range get(2).([]any) {
			values = append(values, beside(v, value))
		}
		return inEx(value, values)
	case "and", "or":
		left := of()
		return compareEx(head, left, in.x(get(2), left))
	case "not":
		return notEx(of())
	case "isNull":
		return testEx("is_null", of())
	case "isNotNull":
		return testEx("is_not_null", of())
	case "add", "sub", "mul", "div":
		left := of()
		return binaryEx(head, left, in.x(get(2), left), left.typ)
	case "neg":
		value := of()
		return &ex{op: "unary", name: "negate", args: []*ex{value}, typ: value.typ, nullable: value.nullable}
	case "int":
		return castEx(of(), intType)
	case "float":
		return castEx(of(), floatType)
	case "orElse":
		left := of()
		return orElseEx(left, in.x(get(2), left))
	case "match":
		return patternEx(of(), text(2), isFolded)
	case "startsWith":
		return matchEx(of(), false, text(2), true, isFolded)
	case "endsWith":
		return matchEx(of(), true, text(2), false, isFolded)
	case "contains":
		return matchEx(of(), true, text(2), true, isFolded)
	case "when":
		return in.when(get(1).([]any), get(2))
	case "exists":
		return existsEx(nested().q)
	case "value":
		r := nested()
		value := in.within(r.sides).x(get(2), nil)
		return scalarEx(r.q, value, value.typ)
	case "count":
		if get(1) == nil {
			return foldEx("count", nil, intType)
		}
		return countEx(nested().q)
	case "sum", "min", "max":
		value := of()
		return foldEx(head, value, value.typ)
	case "avg":
		return foldEx(head, of(), floatType)
	case "let":
		return in.let(tree).e(get(3).([]any))
	case "use":
		m := in.names[text(1)]
		return m.scope.e(m.tree.([]any))
	}
	panic(fmt.Sprint(head, " is not of the grammar"))
}

func (in *interpreter) when(arms []any, otherwise any) *ex {
	results := []any{}
	for _, arm := range arms {
		results = append(results, arm.([]any)[1])
	}
	results = append(results, otherwise)
	var like *ex
	for _, result := range results {
		if isTree(result) {
			like = in.e(result.([]any))
			break
		}
	}
	for _, result := range results {
		if like != nil {
			break
		}
		switch v := result.(type) {
		case string:
			like = &ex{typ: textType}
		case bool:
			like = &ex{typ: boolType}
		case json.Number:
			like = &ex{typ: intType}
			if _, err := v.Int64(); err != nil {
				like.typ = floatType
			}
		}
	}
	branch := &ex{op: "branch", typ: like.typ, format: like.format}
	for i, result := range results {
		value := in.x(result, like)
		branch.nullable = branch.nullable || value.nullable
		if i < len(arms) {
			branch.args = append(branch.args, in.x(arms[i].([]any)[0], nil))
		}
		branch.args = append(branch.args, value)
	}
	return branch
}
