/** The examples of the page about the Python client are run one after the other against a server, and their types checked. */

import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../served.ts';
import { python, pythonFolder } from './support.ts';

const page = join(import.meta.dir, '..', '..', '..', 'docs', 'clients', 'python.md');

const seed = `
import sys
from db import Client, Program, accounts, comments, posts, users
url = sys.argv[1]
client = Client(url)
p = Program()
p.do(users.insert({"id": 1, "handle": "ada"}))
p.do(accounts.insert_many([{"id": 1, "balance": 100}, {"id": 2, "balance": 0}]))
p.do(posts.insert_many([{"id": 1, "author_id": 1, "title": "Hello", "created_at": 1, "score": 5}, {"id": 2, "author_id": 1, "title": "again", "created_at": 2}]))
p.do(comments.insert({"post_id": 1, "body": "yes"}))
client.run(p)
`;

test.skipIf(python === undefined)(
  'the examples run',
  async () => {
    const text = await Bun.file(page).text();
    const examples = [...text.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(
      ({ index, 1: code = '' }) => {
        const line = text.slice(0, index).split('\n').length;
        return `# line ${line}\n${code}`;
      },
    );
    expect(examples.length).toBeGreaterThan(8);
    using folder = pythonFolder();
    await using server = await serve();
    // The first one is a client of the usual address.
    const [, ...rest] = examples;
    writeFileSync(join(folder.path, 'page.py'), [seed, ...rest].join('\n'));
    const { status, all } = await folder.run(['page.py', server.url]);
    if (status !== 0) throw new Error(all);
    expect(all.split('\n')).toEqual([
      "['Hello']",
      "[('yes', None)]",
      '[(1, 2, 5)]',
      "[('Hello', 'yes', 'ada'), ('again', None, 'ada')]",
      "[{'n': 1}, {'n': 2}, {'n': 3}, {'n': 4}]",
      '2',
      expect.stringContaining("Posts(id=3, author_id=1, title='new', body=None, score=5"),
      'Accounts(id=2, balance=60)',
      expect.stringContaining("title='Hello'"),
      'True',
      expect.stringMatching(/^2 \[Posts.*, 1\]$/),
      'users constraint_violation p0 1',
      '',
    ]);
  },
  60_000,
);
