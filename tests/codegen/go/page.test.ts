/** The examples of the page about the Go client are compiled, and run one after the other against a server; the page has all members. */

import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { serve } from '../served.ts';
import { go, goModule } from './support.ts';

const root = join(import.meta.dir, '..', '..', '..');
const page = join(root, 'docs', 'clients', 'go.md');

const packages = ['context', 'errors', 'fmt', 'time'];

/** A program that runs all examples; the line of the page where one begins names it. */
function programOf(examples: readonly { readonly line: number; readonly code: string }[]): string {
  const bodies = examples.map(
    ({ line, code }) =>
      `func example${line}(ctx context.Context, c *db.Client) error {\n${code}\nreturn nil\n}\n`,
  );
  const calls = examples.map(
    ({ line }) =>
      `\tif err := example${line}(ctx, c); err != nil {\n\t\tpanic(fmt.Sprint("line ${line}: ", err))\n\t}`,
  );
  const seed = `
\tpr := db.NewProgram()
\tdb.Do(pr, db.Users.Insert(db.UserNew{ID: db.Set(int64(1)), Handle: "ada"}))
\tdb.Do(pr, db.Accounts.InsertMany(db.AccountNew{ID: 1, Balance: 100}, db.AccountNew{ID: 2}))
\tdb.Do(pr, db.Posts.InsertMany(
\t\tdb.PostNew{ID: db.Set(int64(1)), AuthorID: 1, Title: "Hello", CreatedAt: 1, Score: db.Set(int64(5))},
\t\tdb.PostNew{ID: db.Set(int64(2)), AuthorID: 1, Title: "again", CreatedAt: 2}))
\tlast := db.Do(pr, db.Comments.InsertMany(db.CommentNew{PostID: 1, Body: "yes"}))
\tif _, err := db.Run(ctx, c, pr, last); err != nil {
\t\tpanic(err)
\t}`;
  return [
    'package main',
    `import (\n${[...packages, 'os', 'svc.test/app/db'].map((path) => `\t"${path}"`).join('\n')}\n)`,
    ...bodies,
    `func main() {\n\tctx := context.Background()\n\tc, err := db.Connect(os.Args[1])\n\tif err != nil {\n\t\tpanic(err)\n\t}${seed}\n${calls.join('\n')}\n\t_, _ = errors.New, time.Second\n}`,
  ].join('\n\n');
}

test.skipIf(go === undefined)(
  'the examples compile and run',
  async () => {
    const text = await Bun.file(page).text();
    const examples = [...text.matchAll(/^```go\n([\s\S]*?)^```$/gm)].map(
      ({ index, 1: code = '' }) => ({
        line: text.slice(0, index).split('\n').length,
        code,
      }),
    );
    expect(examples.length).toBeGreaterThan(8);
    using made = goModule();
    await using server = await serve();
    mkdirSync(join(made.folder, 'page'));
    writeFileSync(join(made.folder, 'page', 'main.go'), programOf(examples));
    const { status, all } = await made.run(['run', './page', server.url]);
    if (status !== 0) throw new Error(all);
    expect(all).toContain('users constraint_violation');
    expect(all).toContain('[{2 60}]');
    // What an example prints stands behind it.
    const shown = [...text.matchAll(/^fmt\.Println\(.*?\) \/\/ (.*)$/gm)].map(([, line]) => line);
    expect(shown.length).toBeGreaterThan(4);
    const printed = all.split('\n');
    expect(printed.filter((line) => shown.includes(line))).toEqual(shown as string[]);
  },
  120_000,
);

/** Members of the interfaces of Go's library, which nobody looks up here. */
const ofTheLibrary = ['Error', 'Is', 'Unwrap', 'String', 'MarshalText', 'UnmarshalText'];

test('the page has all functions and methods', async () => {
  const folder = join(root, 'clients/go');
  const files = [...new Glob('*.go').scanSync({ cwd: folder })].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );
  const found = files
    .join('')
    .matchAll(/^func (?:\(\w+ \*?[A-Z]\w*(?:\[[^\]]*\])?\) )?([A-Z]\w*)/gm);
  const names = [...new Set([...found].map(([, name = '']) => name))];
  expect(names.length).toBeGreaterThan(100);
  const text = await Bun.file(page).text();
  const isTold = (name: string) => new RegExp(`\\b${name}\\b`).test(text);
  // The page says what these two endings mean.
  const withoutEnding = (name: string) => name.replace(/(?:Expr|Fold)$/, '');
  const wanted = names.filter((name) => !ofTheLibrary.includes(name));
  expect(wanted.filter((name) => !isTold(name) && !isTold(withoutEnding(name)))).toEqual([]);
});
