package db

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"
	"time"
)

// A client of the server that the test has started, with the rows of the forum.
func live(t *testing.T, options ...Option) (context.Context, *Client) {
	t.Helper()
	url := os.Getenv("SVC_TEST_URL")
	if url == "" {
		t.Fatal("SVC_TEST_URL is missing")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	c, err := Connect(url, append([]Option{WithSchema(SchemaVerify)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	u, p, m, a, n := Users.As(), Posts.As(), Comments.As(), Accounts.As(), Counters.As()
	pr := NewProgram()
	Do(pr, m.DeleteWhere(BoolOf(true)))
	Do(pr, p.DeleteWhere(BoolOf(true)))
	Do(pr, u.DeleteWhere(BoolOf(true)))
	Do(pr, a.DeleteWhere(BoolOf(true)))
	Do(pr, n.DeleteWhere(BoolOf(true)))
	Do(pr, Users.InsertMany(
		UserNew{ID: Set(int64(2)), Handle: "bob", Bio: Some("b")},
		UserNew{ID: Set(int64(1)), Handle: "ada"},
		UserNew{ID: Set(int64(3)), Handle: "Cleo"}))
	var posts []PostNew
	for i := range int64(7) {
		post := PostNew{ID: Set(i + 1), AuthorID: i%2 + 1, Title: fmt.Sprintf("post %d", i), CreatedAt: 100 - i%3, Score: Set(i)}
		if i == 3 {
			post.Score = Set(int64(1<<53 + 1))
		}
		if i%2 == 0 {
			post.Body = Some("text")
		}
		if i != 6 {
			post.Rating = Some(float64(i) / 2)
		}
		posts = append(posts, post)
	}
	Do(pr, Posts.InsertMany(posts...))
	Do(pr, Comments.InsertMany(
		CommentNew{PostID: 1, AuthorID: Some(int64(2)), Body: "first"},
		CommentNew{PostID: 1, Body: "nobody"},
		CommentNew{PostID: 2, AuthorID: Some(int64(1)), Body: "second"}))
	last := Do(pr, Accounts.InsertMany(AccountNew{ID: 1, Balance: 100}, AccountNew{ID: 2, Balance: 5}))
	if _, err := Run[[]Account](ctx, c, pr, last); err != nil {
		t.Fatal(err)
	}
	return ctx, c
}

func must[T any](t *testing.T) func(value T, err error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func same[T any](t *testing.T, got, want T) {
	t.Helper()
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestReads(t *testing.T) {
	ctx, c := live(t)
	ada, ok, err := Users.GetByHandle("ada").First(ctx, c)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	same(t, ada, User{ID: 1, Handle: "ada"})
	_, ok, err = Users.Get(9).First(ctx, c)
	same(t, ok, false)
	same(t, err, nil)
	p := Posts.As()
	ids := func(posts []Post) (ids []int64) {
		for _, post := range posts {
			ids = append(ids, post.ID)
		}
		return ids
	}
	same(t, ids(must[[]Post](t)(p.Where(p.AuthorID.Eq(1), p.Score.Gte(3)).OrderBy(p.Score.Desc()).All(ctx, c))), []int64{7, 5})
	same(t, must[int64](t)(p.Count(ctx, c)), 7)
	for _, many := range []int64{0, 1, 3, 17} {
		var some []int64
		for id := range many {
			some = append(some, id+1)
		}
		same(t, len(must[[]Post](t)(p.Where(p.ID.In(some...)).All(ctx, c))), int(min(many, 7)))
	}
	same(t, len(must[[]User](t)(Users.GetMany(3, 1, 3).All(ctx, c))), 2)
	_, err = p.One(ctx, c)
	if !errors.Is(err, ErrCardinality) || !errors.Is(err, ErrExecution) || errors.Is(err, ErrConflict) {
		t.Error(err)
	}
	u := Users.As()
	same(t, len(must[[]User](t)(u.Where(u.Handle.ContainsFold("ADA"), u.Posts().Exists()).All(ctx, c))), 1)
	same(t, len(must[[]User](t)(u.Where(u.Handle.Match("*o*")).All(ctx, c))), 2)
	same(t, len(must[[]User](t)(u.Where(u.Bio.IsNull()).All(ctx, c))), 2)
}

type feedComment struct {
	Body string
	By   Null[User]
}

type feedPost struct {
	Post
	Author   User
	N        int64
	Comments []feedComment
}

func TestNestedRows(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	m := p.Comments()
	feed := Select(p.OrderBy(p.ID.Asc()).Limit(4),
		IntoPost(p.PostCols, func(r *feedPost) *Post { return &r.Post }),
		Into("author", p.Author(), func(r *feedPost) *User { return &r.Author }),
		Into("n", p.Comments().CountExpr(), func(r *feedPost) *int64 { return &r.N }),
		Into("comments", Select(m.OrderBy(m.Body.Asc()),
			Into("body", m.Body, func(r *feedComment) *string { return &r.Body }),
			Into("by", m.Author(), func(r *feedComment) *Null[User] { return &r.By })),
			func(r *feedPost) *[]feedComment { return &r.Comments }))
	rows := must[[]feedPost](t)(feed.All(ctx, c))
	same(t, rows[0].Author.Handle, "ada")
	same(t, rows[0].N, 2)
	same(t, rows[0].Body, Some("text"))
	same(t, rows[0].Comments, []feedComment{{"first", Some(User{2, "bob", Some("b")})}, {"nobody", Null[User]{}}})
	same(t, rows[3].Score, 1<<53+1)
	same(t, rows[2].Comments, []feedComment{})
}

func TestJoinsGroupsSetsAndRecursion(t *testing.T) {
	ctx, c := live(t)
	p, m, u := Posts.As(), Comments.AsOuter(), Users.As()
	type line struct {
		Title string
		Body  Null[string]
		By    string
	}
	lines := must[[]line](t)(Select(
		Join(LeftJoin(p, m, m.PostID.EqExpr(p.ID)), u, u.ID.EqExpr(p.AuthorID)).Where(p.ID.Gte(2), p.ID.Lte(3)).OrderBy(p.ID),
		Into("title", p.Title, func(r *line) *string { return &r.Title }),
		Into("body", m.Body, func(r *line) *Null[string] { return &r.Body }),
		Into("by", u.Handle, func(r *line) *string { return &r.By })).All(ctx, c))
	same(t, lines, []line{{"post 1", Some("second"), "bob"}, {"post 2", Null[string]{}, "ada"}})

	type sum struct {
		Author, N int64
		Total     Null[int64]
		Mean      Null[float64]
	}
	n := Count()
	sums := must[[]sum](t)(Group(p,
		Into("author", p.AuthorID, func(r *sum) *int64 { return &r.Author }),
		Into("n", n, func(r *sum) *int64 { return &r.N }),
		Into("total", Sum(p.Score), func(r *sum) *Null[int64] { return &r.Total }),
		Into("mean", Avg(p.Rating), func(r *sum) *Null[float64] { return &r.Mean })).Where(n.Gt(3)).All(ctx, c))
	same(t, sums, []sum{{1, 4, Some(int64(12)), Some(1.0)}})

	type who struct{ Who int64 }
	at := func(r *who) *int64 { return &r.Who }
	left := must[[]who](t)(Except(Select(u, Into("who", u.ID, at)), Select(p, Into("who", p.AuthorID, at))).All(ctx, c))
	same(t, left, []who{{3}})

	root, child, depth := Comments.As(), Comments.As(), IntOf(0)
	type node struct {
		ID    UUID
		Depth int64
	}
	id, deep := func(r *node) *UUID { return &r.ID }, func(r *node) *int64 { return &r.Depth }
	tree := Recursive(
		Select(root.Where(root.ParentID.IsNull()), Into("id", root.ID, id), Into("depth", depth, deep)),
		func(self *Query[node]) *Query[node] {
			return Select(Join(child, self, child.ParentID.EqExpr(root.ID)), Into("id", child.ID, id), Into("depth", depth.Add(1), deep))
		}, NewRows)
	first := must[[]Comment](t)(Comments.As().All(ctx, c))[0]
	reply := must[Comment](t)(Comments.Insert(CommentNew{PostID: 1, ParentID: Some(first.ID), Body: "reply"}).Run(ctx, c))
	nodes := must[[]node](t)(tree.OrderBy(depth.Desc()).All(ctx, c))
	same(t, len(nodes), 4)
	same(t, nodes[0], node{reply.ID, 1})

	list := IntList("id", 2, 5)
	titles := must[[]line](t)(Select(Join(List(list), p, p.ID.EqExpr(list.Value)).OrderBy(list.Value.Desc()),
		Into("title", p.Title, func(r *line) *string { return &r.Title })).All(ctx, c))
	same(t, titles, []line{{Title: "post 4"}, {Title: "post 1"}})
}

func TestPages(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	orders := []*Query[Post]{
		p.Query(), p.OrderBy(p.CreatedAt.Desc()), p.OrderBy(p.Rating.Desc(), p.CreatedAt), p.OrderBy(p.Rating), p.OrderBy(p.Score.Desc()),
	}
	for at, q := range orders {
		whole := must[[]Post](t)(q.All(ctx, c))
		for _, size := range []int{1, 2, 3, 7, 8} {
			var seen []Post
			var pages [][]Post
			var page Page[Post]
			for {
				page = must[Page[Post]](t)(q.Page(ctx, c, PageOptions{Size: size, After: page.Next}))
				pages = append(pages, page.Rows)
				seen = append(seen, page.Rows...)
				if page.Next == "" {
					break
				}
			}
			same(t, seen, whole)
			if len(pages) > 1 {
				back := must[Page[Post]](t)(q.Page(ctx, c, PageOptions{Size: size, Before: page.Previous}))
				same(t, back.Rows, pages[len(pages)-2])
			}
			count := 0
			for rows, err := range q.Pages(ctx, c, size) {
				if err != nil {
					t.Fatal(at, size, err)
				}
				count += len(rows)
			}
			same(t, count, 7)
		}
	}
	page := must[Page[Post]](t)(p.Page(ctx, c, PageOptions{Size: 2}))
	var wrong *CursorError
	if _, err := Users.As().Page(ctx, c, PageOptions{Size: 2, After: page.Next}); !errors.As(err, &wrong) {
		t.Error(err)
	}
	if _, err := p.Page(ctx, c, PageOptions{Size: 2, After: "x"}); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

func TestWrites(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	made := must[Post](t)(Posts.Insert(PostNew{AuthorID: 1, Title: "new", CreatedAt: 5}).Run(ctx, c))
	same(t, made, Post{ID: made.ID, AuthorID: 1, Title: "new", CreatedAt: 5})
	changed := must[Null[Post]](t)(Posts.Update(made.ID, p.Score.Set(p.Score.Add(5)), p.Body.SetTo("x")).Run(ctx, c))
	same(t, changed.V.Score, 5)
	same(t, changed.V.Body, Some("x"))
	same(t, must[Null[Post]](t)(Posts.Update(999, p.Title.SetTo("no")).Run(ctx, c)).OK, false)
	same(t, must[Null[Post]](t)(Posts.Update(made.ID, p.Body.SetNull()).Run(ctx, c)).V.Body, Null[string]{})
	gone := must[[]Post](t)(p.DeleteWhere(p.Comments().Exists().Not().And(p.ID.Eq(made.ID))).Run(ctx, c))
	same(t, len(gone), 1)
	same(t, must[Null[Post]](t)(Posts.Delete(made.ID).Run(ctx, c)).OK, false)

	users := must[[]User](t)(Users.InsertMany(
		UserNew{ID: Set(int64(12)), Handle: "l"}, UserNew{ID: Set(int64(11)), Handle: "k"}).Run(ctx, c))
	same(t, []int64{users[0].ID, users[1].ID}, []int64{12, 11})
	mixed := must[[]Post](t)(Posts.InsertMany(
		PostNew{AuthorID: 3, Title: "a", CreatedAt: 1, Score: Set(int64(4))}, PostNew{AuthorID: 3, Title: "b", CreatedAt: 1}).Run(ctx, c))
	slices.SortFunc(mixed, func(a, b Post) int { return int(b.Score - a.Score) })
	same(t, []string{mixed[0].Title, mixed[1].Title}, []string{"a", "b"})

	hit := func() []Counter {
		return must[[]Counter](t)(Counters.Upsert([]CounterNew{{"hits", 1}}, Merge[CounterCols]{Set: func(current, input CounterCols) []Assign {
			return []Assign{current.N.Set(current.N.AddExpr(input.N))}
		}}).Run(ctx, c))
	}
	same(t, hit(), []Counter{{"hits", 1}})
	same(t, hit(), []Counter{{"hits", 2}})
	same(t, must[[]Counter](t)(Counters.InsertIgnore([]CounterNew{{"hits", 9}, {"more", 9}}).Run(ctx, c)), []Counter{{"more", 9}})
	same(t, must[[]Counter](t)(Counters.Upsert([]CounterNew{{"more", 10}}).Run(ctx, c)), []Counter{{"more", 10}})

	_, err := Users.Insert(UserNew{Handle: "ada"}).Run(ctx, c)
	var problem *Error
	if !errors.Is(err, ErrConstraint) || !errors.As(err, &problem) || problem.Execution.Table != "users" {
		t.Errorf("%#v", err)
	}
}

func TestPrograms(t *testing.T) {
	ctx, c := live(t)
	a := Accounts.As()
	type moved struct{ From, To []Account }
	transfer := func(amount int64) (moved, error) {
		pr := NewProgram()
		from := Do(pr, a.UpdateWhere(a.ID.Eq(1).And(a.Balance.Gte(amount)), a.Balance.Set(a.Balance.Sub(amount))))
		to := Do(pr, a.UpdateWhere(a.ID.Eq(2), a.Balance.Set(a.Balance.Add(amount))))
		pr.Ensure("funds", from)
		return Run(ctx, c, pr, Results(
			Into("from", from, func(r *moved) *[]Account { return &r.From }),
			Into("to", to, func(r *moved) *[]Account { return &r.To })))
	}
	same(t, must[moved](t)(transfer(60)), moved{[]Account{{1, 40}}, []Account{{2, 65}}})
	_, err := transfer(60)
	var problem *Error
	if !errors.Is(err, ErrEnsure) || !errors.As(err, &problem) || problem.Guard() != "funds" {
		t.Errorf("%#v", err)
	}
	account, _, err := Accounts.Get(2).First(ctx, c)
	same(t, account.Balance, 65)
	same(t, err, nil)

	pr := NewProgram()
	made := Do(pr, Comments.InsertMany(CommentNew{PostID: 3, Body: "parent"}))
	x, m := Comments.Of(made), Comments.As()
	replies := Do(pr, Comments.InsertFrom(x, m.PostID.Set(x.PostID), m.ParentID.Set(x.ID), m.Body.SetTo("reply")))
	type both struct {
		Made    []Comment
		Replies []Comment
		Count   int64
	}
	found := must[both](t)(Run(ctx, c, pr, Results(
		Into("made", made, func(r *both) *[]Comment { return &r.Made }),
		Into("replies", replies, func(r *both) *[]Comment { return &r.Replies }),
		Into("count", m.CountExpr(), func(r *both) *int64 { return &r.Count }))))
	same(t, found.Replies[0].ParentID, Some(found.Made[0].ID))
	same(t, found.Count, 5)

	// Rows of several statements: those of two sets of columns.
	pr = NewProgram()
	several := Do(pr, Posts.InsertMany(
		PostNew{AuthorID: 3, Title: "a", CreatedAt: 1}, PostNew{AuthorID: 3, Title: "b", CreatedAt: 1, Score: Set(int64(4))}))
	y := Posts.Of(several)
	same(t, must[int64](t)(Run[int64](ctx, c, pr, y.Where(y.Score.Gte(0)).CountExpr())), 2)

	pr = NewProgram()
	one := Do(pr, Users.Insert(UserNew{Handle: "zed"}))
	gone := Do(pr, Posts.Delete(3))
	none := Do(pr, Posts.Delete(999))
	type singles struct {
		One        User
		Gone, None Null[Post]
	}
	all := must[singles](t)(Run(ctx, c, pr, Results(
		Into("one", one, func(r *singles) *User { return &r.One }),
		Into("gone", gone, func(r *singles) *Null[Post] { return &r.Gone }),
		Into("none", none, func(r *singles) *Null[Post] { return &r.None }))))
	same(t, []any{all.One.Handle, all.Gone.OK, all.Gone.V.ID, all.None.OK}, []any{"zed", true, int64(3), false})

	pr = NewProgram()
	p := Posts.As()
	Do(pr, Posts.Delete(4))
	same(t, must[int64](t)(Run[int64](ctx, c, pr, p.CountExpr())), 7)
	pr = NewProgram()
	last := Do(pr, Posts.Delete(5))
	same(t, must[Null[Post]](t)(Run[Null[Post]](ctx, c, pr, last)).V.ID, 5)
}

func TestPreparedQueries(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	id := NewParam("id", p.ID)
	find := Prepare("find", Posts.GetExpr(id))
	for _, want := range []int64{2, 5} {
		post := must[Null[Post]](t)(Execute(ctx, c, find.With(id.Is(want))))
		same(t, post.V.ID, want)
	}
	var wrong *BuildError
	if _, err := Execute(ctx, c, find.With()); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

func TestValuesComeBackAsTheyWere(t *testing.T) {
	ctx, c := live(t)
	for _, want := range []int64{math.MinInt64, math.MaxInt64, 1 << 53, 1<<53 + 1, -1<<53 - 1, 0} {
		got := must[Account](t)(Accounts.Insert(AccountNew{ID: 10, Balance: want}).Run(ctx, c))
		same(t, got.Balance, want)
		Accounts.Delete(10).Run(ctx, c)
	}
	for _, want := range []float64{0, 0.1, -1.5e300, 1e21, 1e-7, 5e-324, math.MaxFloat64, math.Copysign(0, -1), 123456789012345680000} {
		got := must[Post](t)(Posts.Insert(PostNew{AuthorID: 1, Title: "x", CreatedAt: 1, Rating: Some(want)}).Run(ctx, c))
		same(t, math.Float64bits(got.Rating.V), math.Float64bits(want))
	}
	for _, want := range []string{"", "q\"uo\\te\n\r\t\b\f\x00\x1f", "é😀\u2028</a>&", "𝔘" + string(rune(0x10ffff))} {
		got := must[Counter](t)(Counters.Insert(CounterNew{want, 1}).Run(ctx, c))
		same(t, got.Name, want)
	}
	id := UUID{1, 2, 3, 255}
	got := must[Comment](t)(Comments.Insert(CommentNew{ID: Set(id), PostID: 1, Body: "x"}).Run(ctx, c))
	same(t, got.ID, id)
	m := Comments.As()
	// Of a column and a literal, the one comes as text and the other as base64.
	type either struct{ ID UUID }
	rows := must[[]either](t)(Select(m.Where(m.PostID.Eq(1)).OrderBy(m.Body.Desc()), Into("id", When(m.Body.Eq("x"), m.ID).Else(LitOf(m.ID, id)),
		func(r *either) *UUID { return &r.ID })).All(ctx, c))
	same(t, rows, []either{{id}, {id}, {id}})
}

func TestKeptAnswers(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	q := p.OrderBy(p.ID).Limit(2)
	first := must[*[]Post](t)(Cached[[]Post](ctx, c, q))
	if again := must[*[]Post](t)(Cached[[]Post](ctx, c, q)); again != first {
		t.Error("another result, though nothing has changed")
	}
	same(t, len(*first), 2)
	count := 0
	for posts, err := range Watch[[]Post](ctx, c, q, time.Millisecond) {
		if err != nil {
			t.Fatal(err)
		}
		if count++; count == 2 {
			same(t, (*posts)[0].Title, "changed")
			break
		}
		must[Null[Post]](t)(Posts.Update(1, p.Title.SetTo("changed")).Run(ctx, c))
	}
	if again := must[*[]Post](t)(Cached[[]Post](ctx, c, q)); again == first || (*again)[0].Title != "changed" {
		t.Error("the old result, though something has changed")
	}
	var wrong *BuildError
	if _, err := Cached(ctx, c, Posts.Delete(1)); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

func TestExplainAnalyzeCheckRawReaderCopy(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	plan := must[Plan](t)(Explain[[]Post](ctx, c, p.Named("feed")))
	same(t, plan.Statements[0].Name, "feed")
	if len(plan.Statements[0].Text) < 10 || len(plan.Statements[0].View) < 10 {
		t.Errorf("%+v", plan)
	}
	same(t, Check[[]Post](ctx, c, p), nil)
	found := must[Analysis[[]Post]](t)(Analyze[[]Post](ctx, c, p, "full"))
	same(t, len(found.Result), 7)
	if (len(found.Diagnostics) == 0) == (found.Refused == "") {
		t.Errorf("%s %s", found.Diagnostics, found.Refused)
	}
	text := must[[]byte](t)(Document[[]Post](p))
	raw := must[RawAnswer](t)(Raw(ctx, c, text))
	same(t, raw.Statements[0].Name, "p0")
	same(t, raw.Result[0], '[')
	same(t, len(must[[]Post](t)(p.All(ctx, c.Reader()))), 7)
	var wrong *BuildError
	if _, err := Posts.Delete(1).Run(ctx, c.Reader()); !errors.As(err, &wrong) {
		t.Error(err)
	}
	rows := func(yield func(CounterNew) bool) {
		for i := range 2500 {
			if !yield(CounterNew{fmt.Sprintf("c%d", i), int64(i)}) {
				return
			}
		}
	}
	same(t, must[int](t)(Copy(ctx, c, Counters.InsertMany, rows)), 2500)
	same(t, must[int64](t)(Counters.As().Count(ctx, c)), 2500)
}

func TestProblemsNameTheStep(t *testing.T) {
	ctx, c := live(t)
	p := Posts.As()
	_, err := p.Where(p.Score.Div(0).Gt(1)).Named("feed").All(ctx, c)
	var problem *Error
	if !errors.As(err, &problem) || problem.Reason != "division_by_zero" || problem.Operation != "feed" || problem.Attempts != 1 {
		t.Errorf("%#v", err)
	}
}

func TestSchemaCheck(t *testing.T) {
	ctx, c := live(t)
	exact, err := Connect(os.Getenv("SVC_TEST_URL"), WithSchema(SchemaExact))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Users.As().All(ctx, exact); !errors.Is(err, ErrSchema) {
		t.Error(err)
	}
	var told []SchemaDrift
	drift, err := Connect(os.Getenv("SVC_TEST_URL"), WithSchemaDrift(func(d SchemaDrift) { told = append(told, d) }))
	if err != nil {
		t.Fatal(err)
	}
	must[[]User](t)(Users.As().All(ctx, drift))
	must[[]User](t)(Users.As().All(ctx, drift))
	same(t, len(told), 1)
	other := *genTableUsers
	other.columns = append(slices.Clone(other.columns), tableColumn{name: "age", typ: "int64"})
	other.columns[1].typ = "int64"
	other.keys = [][]int{{0}, {2}}
	changed, err := newClient(&generated{9, "other", []*table{&other, {name: "gone"}}}, os.Getenv("SVC_TEST_URL"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Users.As().All(ctx, changed)
	var problem *Error
	if !errors.As(err, &problem) || !errors.Is(err, ErrSchema) {
		t.Fatal(err)
	}
	same(t, problem.Differences, []string{
		"column users.handle is text, not int64", "column users.age is not there", "users(bio) is not unique any more", "table gone is not there",
	})
	_ = c
}
