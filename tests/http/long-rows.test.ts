/** Programs so long that their rows stay in the text: the answers are those to the same programs read the other way. */

import { expect, test } from 'bun:test';
import { openTestDatabase } from '../support/database.ts';

const types = ['int64', 'float64', 'text', 'bool', 'bytes'] as const;
const columns = types.map((type, i) => ({ name: `c${i}`, type, nullable: i > 0 }));
const table = { name: 't', columns, primary_key: ['c0'] };
const count = 2_400;

type Cells = (string | null)[];
type Node = Record<string, unknown>;
type Edit = (rows: Cells[], node: Node, program: { statements: Node[] }) => void;

function row(i: number): Cells {
  const text = i % 5 === 0 ? null : `äé ${i}`;
  return [`${i}`, `${i / 8}`, text, i % 3 === 0 ? null : `${i % 2 === 0}`, 'AAEC'];
}

function program(edit: Edit): string {
  const rows = Array.from({ length: count }, (_, i) => row(i));
  const node: Node = { kind: 'rows', scope: 'r', columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  const whole = { statements: [{ kind: 'create', name: 'c', table: 't', relation }] };
  edit(rows, node, whole);
  return JSON.stringify(whole);
}

const at = count - 7;
const set =
  (column: number, cell: string | null): Edit =>
  (rows) => {
    (rows[at] as Cells)[column] = cell;
  };

const edits: Readonly<Record<string, readonly [number, Edit]>> = {
  'rows as they should be': [200, () => {}],
  'a row with fewer cells': [422, (rows) => rows[at]?.pop()],
  'rows with fewer cells': [422, (rows) => rows.forEach((cells) => void cells.pop())],
  'a cell that is no integer': [422, set(0, '1.5')],
  'a cell that is no number': [422, set(1, 'x')],
  'a cell that is no truth value': [422, set(3, 'yes')],
  'a cell that is no base64': [422, set(4, 'A')],
  'a cell that is a number': [422, set(0, 5 as never)],
  'NULL where there is none': [422, set(0, null)],
  'a text with escapes': [200, set(2, 'a"b\n')],
  'a great integer': [200, set(0, '9223372036854775807')],
  'a key twice': [422, set(0, '3')],
  'columns of one name': [
    422,
    (_, node) => {
      node.columns = columns.map((column) => ({ ...column, name: 'c' }));
    },
  ],
  'a member too much': [
    422,
    (_, node) => {
      node.more = 1;
    },
  ],
  'a node of another kind': [
    422,
    (_, node) => {
      node.kind = 'scan';
    },
  ],
  'a node without columns': [
    422,
    (_, node) => {
      delete node.columns;
    },
  ],
  'a table that is not there': [
    422,
    (_, __, { statements }) => {
      (statements[0] as Node).table = 'u';
    },
  ],
};

for (const [name, [status, edit]] of Object.entries(edits)) {
  test(name, async () => {
    const body = program(edit);
    expect(body.length).toBeGreaterThan(64 * 1024);
    const answers: unknown[] = [];
    // A name with an escape is the same name, and its rows are read as all else is.
    for (const text of [body, body.replaceAll('"rows":[', '"r\\u006fws":[')]) {
      await using db = await openTestDatabase();
      await db.send('POST', '/tables', table);
      const reply = await db.send('POST', '/execute', text);
      const stored = await db.send('POST', '/execute', { statements: [all] });
      expect(reply.status).toBe(status);
      answers.push({
        text: reply.text.replace(/"(incident|request_id)":"[^"]*"/g, ''),
        stored: stored.text,
      });
    }
    expect(answers[0]).toEqual(answers[1]);
  });
}

const all = {
  kind: 'query',
  name: 'all',
  relation: {
    nodes: { t: { kind: 'scan', table: 't', scope: 't' } },
    root: { node: 't', cardinality: 'many' },
  },
};
