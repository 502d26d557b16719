/** What is asked: the same text for the client and by hand. */

interface Item {
  readonly id: number;
  readonly name: string;
  readonly price: number;
  readonly note: string | null;
}

/** A row, or rows. */
export type Answer = Item | null | readonly Item[];

const columns = ['id', 'name', 'price', 'note'];
const id = { kind: 'col', scope: 's0', column: 'id' };
const scan = { kind: 'scan', table: 'items', scope: 's0' };
const fields = columns.map((as) => ({ as, expr: { kind: 'col', scope: 's0', column: as } }));

function textOf(root: object, nodes: object): string {
  const relation = { root, nodes };
  return JSON.stringify({ result: 'q', statements: [{ kind: 'query', name: 'q', relation }] });
}

const [before = '', after = ''] = textOf(
  { node: 'n2', cardinality: 'first' },
  {
    n0: scan,
    n2: { kind: 'project', input: 'n1', fields },
    n1: {
      kind: 'filter',
      input: 'n0',
      predicate: {
        kind: 'binary',
        op: 'eq',
        left: id,
        right: { kind: 'lit', value: { type: 'int64', value: '?' } },
      },
    },
  },
).split('"?"');

/** One row by its key, as a prepared query: two pieces and the key between them. */
export function pointText(key: number): string {
  return `${before}"${key}"${after}`;
}

/** The first rows by their keys. */
export function listText(limit: number): string {
  return textOf(
    { node: 'n2', cardinality: 'many' },
    {
      n0: scan,
      n1: { kind: 'order', input: 'n0', terms: [{ expr: id }] },
      n2: { kind: 'slice', input: 'n1', limit },
    },
  );
}
