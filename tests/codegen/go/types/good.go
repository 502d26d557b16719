// What compiles: types that queries and statements come to are asserted.
package types

import (
	"context"
	"iter"
	"slices"

	"svc.test/app/db"
)

type row struct {
	ID    int64
	Title string
	Body  db.Null[string]
	Score int64
	Mean  db.Null[float64]
	Posts []db.Post
	User  db.User
	Maybe db.Null[db.User]
	UUID  db.UUID
	Yes   bool
}

func good(ctx context.Context, c *db.Client) {
	p, u, m := db.Posts.As(), db.Users.As(), db.Comments.As()
	var (
		_ func(context.Context, db.Runner) ([]db.Post, error)        = p.All
		_ func(context.Context, db.Runner) (db.Post, bool, error)    = p.First
		_ func(context.Context, db.Runner) (db.Post, error)          = p.One
		_ func(context.Context, db.Runner) (int64, error)            = p.Count
		_ iter.Seq2[[]db.Post, error]                                = p.Pages(ctx, c, 2)
		_ *db.Write[db.Post, db.Post]                                = db.Posts.Insert(db.PostNew{AuthorID: 1, Title: "x", CreatedAt: 1})
		_ *db.Write[[]db.Post, db.Post]                              = db.Posts.InsertMany()
		_ *db.Write[db.Null[db.Post], db.Post]                       = db.Posts.Delete(1)
		_ *db.Write[db.Null[db.Comment], db.Comment]                 = db.Comments.Delete(db.UUID{})
		_ *db.UserOne                                                = p.Author()
		_ *db.UserMaybe                                              = m.Author()
		_ *db.CommentScope                                           = p.Comments()
		_ db.Part[[]db.Post]                                         = p
		_ db.Part[db.User]                                           = p.Author()
		_ db.Part[db.Null[db.User]]                                  = m.Author()
		_ db.Part[int64]                                             = p.Comments().CountExpr()
		_ *db.NullIntExpr                                            = db.Sum(p.Score)
		_ *db.NullFloatExpr                                          = db.Avg(p.Score)
		_ *db.NullFloatExpr                                          = db.Sum(p.Rating)
		_ *db.NullTextExpr                                           = db.Min(p.Title)
		_ *db.TextExpr                                               = p.Body.OrElse("x")
		_ *db.FloatExpr                                              = db.Float(p.Score)
		_ *db.IntExpr                                                = p.Score.Add(1).MulExpr(p.ID)
		_ *db.NullIntExpr                                            = p.Score.Nullable().AddExpr(db.Sum(p.Score))
		_ *db.NullTextExpr                                           = db.When(p.ID.Gt(1), p.Body).Else(p.Body)
		_ *db.BoolExpr                                               = p.Body.IsNull()
		_ db.Predicate                                               = p.Body.Eq("x").And(p.ID.In(1), p.Exists()).Or(p.Body.IsNull()).Not()
		_ db.Assign                                                  = p.Body.Set(p.Title)
		_ db.Assign                                                  = p.Rating.Set(p.Rating.Add(1))
		_ db.Assign                                                  = p.Score.Set(p.Comments().CountExpr().OrElse(0))
		_ func(context.Context, db.Runner) (db.Null[db.Post], error) = db.Posts.Update(1, p.Body.SetNull()).Run
	)
	rows := db.Select(p.Query(),
		db.Into("id", p.ID, func(r *row) *int64 { return &r.ID }),
		db.Into("title", p.Title, func(r *row) *string { return &r.Title }),
		db.Into("body", p.Body, func(r *row) *db.Null[string] { return &r.Body }),
		db.Into("posts", u.Posts().Limit(3), func(r *row) *[]db.Post { return &r.Posts }),
		db.Into("user", p.Author(), func(r *row) *db.User { return &r.User }),
		db.Into("maybe", m.Author(), func(r *row) *db.Null[db.User] { return &r.Maybe }),
		db.Into("yes", p.Exists(), func(r *row) *bool { return &r.Yes }))
	var _ func(context.Context, db.Runner) ([]row, error) = rows.All
	pr := db.NewProgram()
	var done *db.Done[[]db.Post, db.Post] = db.Do(pr, p.DeleteWhere(p.ID.Eq(1)))
	var _ *db.PostScope = db.Posts.Of(done)
	pr.Ensure("rows", done)
	pr.Ensure("query", p)
	pr.Ensure("test", p.Exists().Not())
	var posts []db.Post
	posts, _ = db.Run(ctx, c, pr, done)
	posts, _ = db.Execute(ctx, c.Reader(), db.Prepare("all", db.Runnable[[]db.Post](p)).With())
	_, _ = db.Copy(ctx, c, db.Posts.InsertMany, slices.Values([]db.PostNew{}))
	_ = posts
}
