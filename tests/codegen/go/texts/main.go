// Prints the texts of queries, one JSON object a line: what the TypeScript builder makes of the same queries stands in texts.ts.
package main

import (
	"fmt"
	"os"
	"strconv"

	"svc.test/app/db"
)

func show[T any](name string, what db.Runnable[T]) {
	text, err := db.Document(what)
	write(name, text, err)
}

func write(name string, text []byte, err error) {
	if err != nil {
		text = []byte("error: " + err.Error())
	}
	fmt.Fprintf(os.Stdout, "%s\t%s\n", name, text)
}

type title struct {
	ID    int64
	Title string
	Next  int64
}

type by struct{ Handle string }

type comment struct {
	Body string
	By   db.Null[by]
}

type card struct {
	db.Post
	Author   by
	N        int64
	Comments []comment
}

type joined struct {
	Title string
	Body  db.Null[string]
	By    string
}

type grouped struct {
	Author int64
	N      int64
	Total  db.Null[int64]
	Mean   db.Null[float64]
}

type node struct {
	ID    db.UUID
	Depth int64
}

type who struct{ Who int64 }

type all struct {
	Me    db.Null[db.User]
	Posts []db.Post
	Total int64
}

type mixed struct {
	A string
	B bool
	C db.Null[float64]
	D db.Null[string]
}

func handleInto[R any](u db.UserCols, at func(*R) *string) db.Field[R] {
	return db.Into("handle", u.Handle, at)
}

func main() {
	p := db.Posts.As()
	show("scan", p.Query())
	show("by", db.Users.GetByHandle("ada"))
	show("get", db.Users.Get(9))
	show("filter", db.Select(p.Where(p.AuthorID.Eq(1).And(p.Score.Gte(3))).OrderBy(p.Score.Desc()).Limit(10),
		db.Into("id", p.ID, func(r *title) *int64 { return &r.ID }),
		db.Into("title", p.Title, func(r *title) *string { return &r.Title }),
		db.Into("next", p.Score.Add(1), func(r *title) *int64 { return &r.Next })))
	show("texts", p.Where(p.Title.Eq("q\"uo\\te\n\x00\u2028é😀</a>&")))
	show("floats", p.Where(db.Or(p.Rating.Eq(1e21), p.Rating.Eq(1e-7), p.Rating.Eq(0.1), p.Rating.Eq(-1.5e300), p.Rating.Gt(123456789012345680000))))
	show("minus zero", p.Where(p.Rating.Eq(-1/inf())))
	show("integers", p.Where(p.Score.Eq(-9223372036854775808)))

	a := p.Author()
	c := p.Comments()
	cb := c.Author()
	show("feed", db.Select(p.OrderBy(p.CreatedAt.Desc(), p.ID.Desc()).Limit(2),
		db.IntoPost(p.PostCols, func(r *card) *db.Post { return &r.Post }),
		db.Into("author", db.SelectOne(a, handleInto(a.UserCols, func(r *by) *string { return &r.Handle })), func(r *card) *by { return &r.Author }),
		db.Into("n", p.Comments().CountExpr(), func(r *card) *int64 { return &r.N }),
		db.Into("comments", db.Select(c.OrderBy(c.Body.Asc()).Limit(3),
			db.Into("body", c.Body, func(r *comment) *string { return &r.Body }),
			db.Into("by", db.SelectMaybe(cb, handleInto(cb.UserCols, func(r *by) *string { return &r.Handle })), func(r *comment) *db.Null[by] { return &r.By })),
			func(r *card) *[]comment { return &r.Comments })))

	o := db.Comments.AsOuter()
	u := db.Users.As()
	show("joins", db.Select(
		db.Join(db.LeftJoin(p, o, o.PostID.EqExpr(p.ID)), u, u.ID.EqExpr(p.AuthorID)).Where(p.ID.Lte(2)),
		db.Into("title", p.Title, func(r *joined) *string { return &r.Title }),
		db.Into("body", o.Body, func(r *joined) *db.Null[string] { return &r.Body }),
		db.Into("by", u.Handle, func(r *joined) *string { return &r.By })))

	n := db.Count()
	groups := db.Group(p,
		db.Into("author", p.AuthorID, func(r *grouped) *int64 { return &r.Author }),
		db.Into("n", n, func(r *grouped) *int64 { return &r.N }),
		db.Into("total", db.Sum(p.Score), func(r *grouped) *db.Null[int64] { return &r.Total }),
		db.Into("mean", db.Avg(p.Rating), func(r *grouped) *db.Null[float64] { return &r.Mean }))
	show("groups", groups)
	show("having", groups.Where(n.Gt(3)))
	show("fold", db.Fold(p,
		db.Into("n", db.Count(), func(r *grouped) *int64 { return &r.N }),
		db.Into("most", db.Max(p.Score), func(r *grouped) *db.Null[int64] { return &r.Total })))

	show("several", db.Results(
		db.Into("me", db.Users.Get(1), func(r *all) *db.Null[db.User] { return &r.Me }),
		db.Into("posts", p.Where(p.AuthorID.Eq(2)), func(r *all) *[]db.Post { return &r.Posts }),
		db.Into("total", db.Posts.As().CountExpr(), func(r *all) *int64 { return &r.Total })))
	show("count", p.CountExpr())

	root := db.Comments.As()
	depth := db.IntOf(0)
	child := db.Comments.As()
	fields := func(id *db.UUIDExpr, depth *db.IntExpr) []db.Field[node] {
		return []db.Field[node]{
			db.Into("id", id, func(r *node) *db.UUID { return &r.ID }),
			db.Into("depth", depth, func(r *node) *int64 { return &r.Depth }),
		}
	}
	show("recursion", db.Recursive(db.Select(root.Where(root.ParentID.IsNull()), fields(root.ID, depth)...), func(self *db.Query[node]) *db.Query[node] {
		return db.Select(db.Join(child, self, child.ParentID.EqExpr(root.ID)), fields(child.ID, depth.Add(1))...)
	}, db.NewRows))

	into := func(id db.Scalar[int64, int64]) db.Field[who] {
		return db.Into("who", id.(db.Part[int64]), func(r *who) *int64 { return &r.Who })
	}
	users, posts := db.Select(u, into(u.ID)), db.Select(p, into(p.AuthorID))
	show("except", db.Except(users, posts))
	show("intersect all", db.IntersectAll(users, posts))
	show("union", db.Union(users, posts).Limit(3))
	show("union filtered", db.Union(users, posts).Where(u.ID.Gt(2)))
	show("distinct", db.Distinct(posts))
	show("distinct rows", db.Distinct(p).Where(p.Score.Gt(1)))
	show("many", db.Users.GetMany(3, 1, 3))
	for _, count := range []int{0, 1, 2, 3, 5, 16, 17} {
		ids := make([]int64, count)
		for i := range ids {
			ids[i] = int64(i + 1)
		}
		show("in "+strconv.Itoa(count), p.Where(p.ID.In(ids...)))
		handles := make([]string, count)
		for i := range handles {
			handles[i] = strconv.Itoa(i)
		}
		show("nullable in "+strconv.Itoa(count), u.Where(u.Bio.In(handles...)))
	}
	show("where in", db.WhereIn(p, p.Title, []string{"a", "b", "c"}))
	show("contains", u.Where(u.Handle.ContainsFold("ADA").And(u.Posts().Exists())))
	show("match", u.Where(db.Or(u.Handle.Match("*o*"), u.Handle.StartsWith(""), u.Handle.EndsWith("x"), u.Handle.Match(""))))
	show("same", u.Where(u.Bio.Same("x")))
	show("same column", u.Where(u.Handle.SameExpr(u.Bio)))
	show("values", db.Select(u.OrderBy(u.ID),
		db.Into("a", u.Bio.OrElse("-"), func(r *mixed) *string { return &r.A }),
		db.Into("b", u.Bio.IsNull(), func(r *mixed) *bool { return &r.B }),
		db.Into("c", db.ValueOf(db.Posts.As(), db.FloatOf(0.5)), func(r *mixed) *db.Null[float64] { return &r.C }),
		db.Into("d", db.When(u.ID.Gt(1), u.Bio).Else(db.NullOf(u.Bio)), func(r *mixed) *db.Null[string] { return &r.D })))
	show("slices", p.Offset(2).Limit(3))
	show("named", p.Where(p.ID.Gt(1)).Named("feed"))
	show("shared", func() *db.Query[who] {
		shared := db.Shared(posts)
		return db.Union(shared, shared)
	}())
	popular := db.Shared(p.Where(p.Score.Gt(3)))
	left, right := db.Posts.From(popular), db.Posts.From(popular)
	show("shared twice", db.Select(db.Join(left, right, left.Score.EqExpr(right.Score).And(left.ID.LtExpr(right.ID))),
		db.Into("who", left.ID, func(r *who) *int64 { return &r.Who })))
	show("first", p.Where(p.Score.Gt(1)).Maybe())
	show("only", p.Where(p.Score.Gt(1)).Only())
	show("not", p.Where(p.Comments().Exists().Not()))
	show("arithmetic", db.Select(p,
		db.Into("a", db.Float(p.Score).MulExpr(db.FloatOf(1.5)).Neg(), func(r *node) *float64 { return new(float64) }),
		db.Into("b", p.Score.Sub(1).Mul(2).DivExpr(p.ID), func(r *node) *int64 { return &r.Depth })))

	show("insert", db.Posts.Insert(db.PostNew{AuthorID: 1, Title: "new", CreatedAt: 5}))
	show("insert all", db.Posts.Insert(db.PostNew{ID: db.Set(int64(7)), AuthorID: 1, Title: "new", Body: db.Some("b"), Score: db.Set(int64(2)), Rating: db.Some(0.5), CreatedAt: 5}))
	show("insert many", db.Posts.InsertMany(
		db.PostNew{AuthorID: 3, Title: "a", CreatedAt: 1, Score: db.Set(int64(4))},
		db.PostNew{AuthorID: 3, Title: "b", CreatedAt: 1}))
	show("insert none", db.Users.InsertMany())
	show("update", db.Posts.Update(1, p.Score.Set(p.Score.Add(5)), p.Body.SetNull()))
	show("update value", db.Posts.Update(1, p.Title.SetTo("x")))
	show("update where", p.UpdateWhere(p.ID.Eq(1), p.Score.Set(p.Score.Sub(60))))
	show("delete", db.Posts.Delete(4))
	show("delete where", p.DeleteWhere(p.Comments().Exists().Not().And(p.ID.Eq(4))))
	show("upsert", db.Counters.Upsert([]db.CounterNew{{Name: "hits", N: 1}}, db.Merge[db.CounterCols]{Set: func(current, input db.CounterCols) []db.Assign {
		return []db.Assign{current.N.Set(current.N.AddExpr(input.N))}
	}}))
	show("upsert plain", db.Counters.Upsert([]db.CounterNew{{Name: "more", N: 10}, {Name: "other", N: 11}}))
	show("upsert on", db.Users.Upsert([]db.UserNew{{Handle: "ada", Bio: db.Some("b")}}, db.Merge[db.UserCols]{On: []string{"handle"}}))
	show("insert ignore", db.Counters.InsertIgnore([]db.CounterNew{{Name: "hits", N: 9}}))

	acc := db.Accounts.As()
	pr := db.NewProgram()
	from := db.Do(pr, acc.UpdateWhere(acc.ID.Eq(1).And(acc.Balance.Gte(60)), acc.Balance.Set(acc.Balance.Sub(60))))
	to := db.Do(pr, acc.UpdateWhere(acc.ID.Eq(2), acc.Balance.Set(acc.Balance.Add(60))))
	pr.Ensure("funds", from)
	type moved struct{ From, To []db.Account }
	show("transfer", db.Returning(pr, db.Results(
		db.Into("from", from, func(r *moved) *[]db.Account { return &r.From }),
		db.Into("to", to, func(r *moved) *[]db.Account { return &r.To }))))
	pr = db.NewProgram()
	made := db.Do(pr, db.Comments.InsertMany(db.CommentNew{PostID: 3, Body: "parent"}))
	x, t := db.Comments.Of(made), db.Comments.As()
	replies := db.Do(pr, db.Comments.InsertFrom(x, t.PostID.Set(x.PostID), t.ParentID.Set(x.ID), t.Body.SetTo("reply")))
	show("children", db.Returning[[]db.Comment](pr, replies))
	pr = db.NewProgram()
	one := db.Do(pr, db.Users.Insert(db.UserNew{Handle: "zed"}))
	gone := db.Do(pr, db.Posts.Delete(3))
	type both struct {
		One  db.User
		Gone db.Null[db.Post]
	}
	show("singles", db.Returning(pr, db.Results(
		db.Into("one", one, func(r *both) *db.User { return &r.One }),
		db.Into("gone", gone, func(r *both) *db.Null[db.Post] { return &r.Gone }))))
	pr = db.NewProgram()
	db.Do(pr, db.Posts.Delete(3))
	pr.Ensure("none", p.Exists().Not())
	show("count behind", db.Returning(pr, p.CountExpr()))

	id := db.NewParam("id", p.ID)
	bio := db.NewNullParam("bio", u.Bio)
	show("prepared", db.Prepare("find", db.Posts.GetExpr(id)).With(id.Is(7)))
	show("prepared null", db.Prepare("bio", u.Where(u.Bio.SameExpr(bio))).With(bio.Is(db.Null[string]{})))
	name := db.NewParam("title", p.Title)
	show("prepared update", db.Prepare("rename", p.UpdateWhere(p.ID.EqExpr(id), p.Title.Set(name))).With(id.Is(7), name.Is("x")))

	for i, q := range []*db.Query[db.Post]{p.Query(), p.OrderBy(p.CreatedAt.Desc()), p.OrderBy(p.Rating.Desc(), p.CreatedAt), p.OrderBy(p.Rating)} {
		text, err := db.PageDocument(q, db.PageOptions{Size: 2})
		write("page "+strconv.Itoa(i), text, err)
		for k, cursor := range os.Args[1+4*i : 5+4*i] {
			options := db.PageOptions{Size: 2, After: cursor}
			if k%2 == 1 {
				options = db.PageOptions{Size: 2, Before: cursor}
			}
			text, err := db.PageDocument(q, options)
			write("page "+strconv.Itoa(i)+" "+strconv.Itoa(k), text, err)
		}
	}
}

func inf() float64 {
	zero := 0.0
	return 1 / zero
}
