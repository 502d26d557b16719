package db

import (
	"errors"
	"math"
	"testing"
)

// What is built and compiled; the text does not matter.
func built[T any](what Runnable[T]) error {
	_, err := Document(what)
	return err
}

func TestRefusalsNameTheStepAndWhatToDo(t *testing.T) {
	p, u := Posts.As(), Users.As()
	latest := p.OrderBy(p.CreatedAt.Desc())
	type key struct{ ID int64 }
	id := Into("id", p.ID, func(r *key) *int64 { return &r.ID })
	ids := []int64{1, 2}
	type reply struct{ One Comment }
	type asked struct {
		Me User
		N  int64
	}
	me := func(r *asked) *User { return &r.Me }
	behind := func(step string) string {
		return "svc: " + step + " does not keep the order of OrderBy: put OrderBy behind it"
	}
	only := func(field string) string {
		return "svc: " + field + ": Only holds for a whole result only: use Maybe, or Ensure of a program"
	}
	outer := Comments.AsOuter()
	cases := []struct {
		name string
		err  error
		want string
	}{
		{"Distinct", built[[]Post](Distinct(latest)), behind("Distinct")},
		{"Distinct below a filter and Maybe", built[Null[Post]](Distinct(latest).Where(p.Score.Gt(1)).Maybe()), behind("Distinct")},
		{"Distinct below a limit", built[[]Post](Distinct(latest).Limit(1)), behind("Distinct")},
		{"Shared", built[[]Post](Shared(latest)), behind("Shared")},
		{"Shared with columns of its own", built[[]Post](Posts.From(Shared(latest))), behind("Shared")},
		{"Union, on the left", built[[]Post](Union(latest, p.Query())), behind("Union")},
		{"Union, on the right", built[[]Post](Union(Posts.As(), latest)), behind("Union")},
		{"Intersect", built[[]Post](Intersect(latest, Posts.As().Query())), behind("Intersect")},
		{"IntersectAll", built[[]Post](IntersectAll(latest, Posts.As().Query())), behind("Intersect")},
		{"Except", built[[]Post](Except(latest, Posts.As().Query())), behind("Except")},
		{"ExceptAll, on the right", built[[]Post](ExceptAll(Posts.As(), latest)), behind("Except")},
		{"Join", built[[]key](Select(Join(latest, u, u.ID.EqExpr(p.AuthorID)), id)), behind("Join")},
		{"LeftJoin", built[[]key](Select(LeftJoin(latest, outer, outer.PostID.EqExpr(p.ID)), id)), behind("LeftJoin")},
		{"Join below a filter and a limit", built[[]key](Select(Join(latest, u, u.ID.EqExpr(p.AuthorID)).Where(u.ID.Gt(1)).Limit(2), id)), behind("Join")},
		{"WhereIn behind Limit", built[[]Post](WhereIn(latest.Limit(2), p.ID, ids)), behind("WhereIn")},
		{"WhereIn behind Offset", built[[]Post](WhereIn(latest.Offset(2), p.ID, ids)), behind("WhereIn")},
		{"WhereIn behind Select", built[[]key](WhereIn(Select(latest, id), p.ID, ids)), behind("WhereIn")},
		{"nested rows", built[[]asked](Select(u, Into("n", ValueOf(Posts.From(Shared(latest)).Limit(1), p.ID).OrElse(0), func(r *asked) *int64 { return &r.N }))), behind("Shared")},
		{"Only within Into", built[[]reply](Select(p, Into("reply", p.Comments().Only(), func(r *reply) *Comment { return &r.One }))), only("reply")},
		{"Only in Results", built[asked](Results(Into("me", Users.Get(1).Only(), me))), only("me")},
		{"Only below a Select", built[asked](Results(Into("me", SelectOne(u.Only(), IntoUser(u.UserCols, func(r *User) *User { return r })), me))), only("me")},
		{"a column that is not there", built[[]User](Users.InsertIgnore([]UserNew{{Handle: "x"}}, "nick")), `svc: users has no column "nick": its keys are id | handle`},
		{"the same of Upsert", built[[]Account](Accounts.Upsert([]AccountNew{{ID: 1}}, Merge[AccountCols]{On: []string{"id", "Balance"}})), `svc: accounts has no column "Balance": its keys are id`},
		{"a key that no row gives", built[[]User](Users.Upsert([]UserNew{{Handle: "x"}})), "svc: users: all columns of the key are wanted"},
		{"two rows of one key", built[[]Counter](Counters.Upsert([]CounterNew{{"a", 1}, {"a", 2}})), "svc: counters: two rows of one key"},
		{"an update of nothing", built[Null[Post]](Posts.Update(1)), "svc: posts: nothing is set"},
		{"an update of the key", built[Null[Post]](Posts.Update(1, Put[int64](p.ID, IntOf(2)))), "svc: posts.id is of the key, which cannot be changed"},
		{"columns of another table", built[[]Post](p.UpdateWhere(p.ID.Eq(1), u.Bio.SetTo("x"))), `svc: posts has no column "bio" in this scope`},
		{"one scope on both sides", built[[]key](Select(Join(p, p, p.ID.EqExpr(p.ID)), id)), "svc: both sides of a join are the same rows: call As once for each"},
		{"columns of another scope", built[[]Post](p.Where(Posts.As().ID.Eq(1))), `svc: the column "id" is of rows that are not at hand here: the scope is another one, or a Select left it out`},
		{"columns that Select left out", built[[]key](Select(p, id).Where(p.Score.Gt(1))), `svc: the column "score" is of rows that are not at hand here: the scope is another one, or a Select left it out`},
		{"two fields of one name", built[[]key](Select(p, id, id)), `svc: two fields are called "id"`},
		{"no fields", built[[]key](Select[key](p)), "svc: Select wants one field at least"},
		{"sets of other columns", built[[]key](Union(Select(p, id), Select(u, Into("who", u.ID, func(r *key) *int64 { return &r.ID })))), "svc: union wants the same columns: id int64, not who int64"},
		{"Count outside of Group", built[[]Post](p.Where(Count().Gt(1))), "svc: Count, Sum, Avg, Min and Max stand in Group and Fold"},
		{"an expression in Fold", built[key](Fold(p, id)), "svc: id is no Count, Sum, Avg, Min or Max"},
		{"a negative limit", built[[]Post](p.Limit(-2)), "svc: -2 is no count of rows"},
		{"a name", built[[]Post](p.Named("a b")), `svc: "a b" is no name: letters, digits, _ and -, at most 64, not ensure_…`},
		{"a text that is not UTF-8", built[[]Post](p.Where(p.Title.Eq("\xff"))), "svc: a text is not UTF-8: use a column of bytes for it"},
		{"a number that is none", built[[]Post](p.Where(p.Rating.Eq(math.NaN()))), "svc: a finite number is wanted, not NaN"},
		{"lists of other lengths", built[[]key](Select(List(IntList("a", 1), IntList("b")), id)), "svc: columns of a list have one length: 1, not 0"},
	}
	for _, one := range cases {
		var wrong *BuildError
		if !errors.As(one.err, &wrong) || one.err.Error() != one.want {
			t.Errorf("%s: %v, not %s", one.name, one.err, one.want)
		}
	}
}

// Where no order is seen, or the schema promises the row, there is nothing to refuse.
func TestWhatIsNotRefused(t *testing.T) {
	p, u := Posts.As(), Users.As()
	latest := p.OrderBy(p.CreatedAt.Desc())
	type key struct{ ID int64 }
	id := Into("id", p.ID, func(r *key) *int64 { return &r.ID })
	type card struct {
		By  User
		Sum Null[int64]
	}
	comments := p.Comments()
	type counted struct{ N int64 }
	n := Into("n", Count(), func(r *counted) *int64 { return &r.N })
	for name, err := range map[string]error{
		"Distinct that is counted":        built[int64](Distinct(latest).CountExpr()),
		"Shared that is asked for":        built[bool](Shared(latest).Exists()),
		"Distinct that is folded":         built[counted](Fold(Distinct(latest), n)),
		"Shared with another OrderBy":     built[[]Post](Shared(latest).OrderBy(p.ID)),
		"Union with another OrderBy":      built[[]Post](Union(latest, Posts.As().Query()).OrderBy(p.ID).Limit(3)),
		"WhereIn directly behind OrderBy": built[[]Post](WhereIn(latest, p.ID, []int64{1})),
		"WhereIn behind Where":            built[[]Post](WhereIn(latest.Where(p.Score.Gt(1)), p.ID, []int64{1})),
		"WhereIn behind Named":            built[[]Post](WhereIn(latest.Named("latest"), p.ID, []int64{1})),
		"the right side of a join":        built[[]key](Select(Join(u, latest, u.ID.EqExpr(p.AuthorID)).Limit(2), id)),
		"Only of a whole result":          built[Post](p.Where(p.ID.Eq(1)).Only()),
		"a relation that is certain":      built[[]card](Select(p, Into("by", p.Author(), func(r *card) *User { return &r.By }))),
		"a Fold within Into":              built[[]counted](Select(p, Into("n", Fold(comments, n), func(r *counted) *counted { return r }))),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
