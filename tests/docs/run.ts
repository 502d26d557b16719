/** Runs an example of the documentation on a database of its own, and compares the answer. */

import { openTestDatabase, type Reply, type TestDatabase } from '../support/database.ts';
import { parseLossless } from '../support/lossless.ts';
import { isSameJson } from '../support/same-json.ts';
import type { Answer, Example } from './blocks.ts';

/** The answer to the example on a fresh database that `setup` has filled. */
export async function runExample(setup: readonly string[], example: Example): Promise<Reply> {
  await using database = await openTestDatabase();
  for (const program of setup) {
    const reply = await database.send('POST', '/execute', program);
    if (reply.status !== 200) throw new Error(`setup: ${reply.text}`);
  }
  return await send(database, example);
}

function send(database: TestDatabase, { kind, options, request }: Example): Promise<Reply> {
  switch (kind) {
    case 'query':
      return database.send('QUERY', '/execute', request);
    case 'expression':
      return database.send('QUERY', '/execute', queryOf(request));
    case 'program': {
      const search = options.map((option) => `${option}=true`).join('&');
      return database.send('POST', `/execute?${search}`, request);
    }
  }
}

/** What an `expression` block stands for: its value for each book `b` in order of id. */
export function queryOf(expression: string): string {
  const id = { kind: 'col', scope: 'b', column: 'id' };
  const value = '"the expression"';
  const query = {
    nodes: {
      scan: { kind: 'scan', table: 'book', scope: 'b' },
      sorted: { kind: 'order', input: 'scan', terms: [{ expr: id }] },
      shown: {
        kind: 'project',
        input: 'sorted',
        fields: [{ as: 'value', expr: 'the expression' }],
      },
    },
    root: { node: 'shown', cardinality: 'many' },
  };
  return JSON.stringify(query).replace(value, () => expression);
}

/** Undefined when the reply is what the page shows; else the reply. */
export function difference(example: Example, reply: Reply): string | undefined {
  const { answer } = example;
  const isProblem = reply.status >= 400;
  if (isProblem !== (answer.kind === 'problem')) return reply.text;
  const text = example.kind === 'expression' && !isProblem ? valuesOf(reply.text) : reply.text;
  return isShown(answer, text) ? undefined : text;
}

function valuesOf(rows: string): string {
  return rows.replaceAll(/\{"value":((?:"(?:[^"\\]|\\.)*"|[^"}])*)\}/g, '$1');
}

/** A whole answer is compared as text, blanks aside: the order of members and the form of numbers count. */
function isShown(answer: Answer, text: string): boolean {
  if (!answer.isPart) return compact(answer.text) === text;
  return isPart(parseLossless(answer.text), parseLossless(text));
}

function compact(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

/** Whether `whole` has all that `part` shows. */
function isPart(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return isSameJson(whole, part);
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part) && (whole as unknown[]).length !== part.length) return false;
  return Object.entries(part).every(([name, member]) =>
    isPart(member, (whole as Record<string, unknown>)[name]),
  );
}
