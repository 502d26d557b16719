/** More in one commit than a commit may hold: a problem, and the store goes on. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import { mustSend } from '../../programs/data.ts';
import {
  binary,
  col,
  count,
  int,
  join,
  numbers,
  program,
  project,
  query,
  ref,
  relation,
  scan,
  statement,
  yes,
} from '../../programs/lir.ts';
import { writes } from '../strikes.ts';

function create(times: number): string {
  const id = binary('add', binary('mul', col('s', 'id'), int(1000)), col('n', 'n'));
  const nodes = {
    s: scan('item', 's'),
    n: numbers('n', 0, times),
    j: join('s', 'n', yes),
    p: project('j', { id, note: col('s', 'note') }),
  };
  return program([statement('create', 'heap', relation(nodes, 'p'))]);
}

const mebibyte = 1 << 20;

/** Rows of a text of nearly 4 MiB each, which comes once, as the body has no room for more. */
function createLong(rows: number): string {
  const literal = {
    kind: 'rows',
    scope: 'r',
    columns: [{ name: 't', type: 'text' }],
    rows: [['@']],
  };
  const nodes = {
    r: literal,
    n: numbers('n', 0, rows),
    j: join('r', 'n', yes),
    p: project('j', { id: col('n', 'n'), note: col('r', 't') }),
  };
  const counted = { w: ref('w', 'w'), c: count('w') };
  const statements = [
    statement('create', 'heap', relation(nodes, 'p')),
    query(relation(counted, 'c', 'scalar')),
  ];
  return program(statements).replace('"@"', `"${'x'.repeat(4 * mebibyte - 4096)}"`);
}

export const largeWrite: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'large-write',
  does: 'a create of some 45 MiB in 12 rows, about as much as the limits of one program let through',
  goals: writes,
  prepare: ({ port }) => makeHeap(port),
  strike: async (stage) => outcomeOf([await stage.execute(createLong(12))]),
};

async function makeHeap(port: number): Promise<void> {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'note', type: 'text' },
  ];
  await mustSend(port, '/tables', JSON.stringify({ name: 'heap', columns, primary_key: ['id'] }));
}

export const hugeWrite: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'huge-write',
  does: 'a create of more than 1 GiB with the memory for it, then another write',
  flags: [
    '--program-memory-mib',
    '12000',
    '--memory-mib',
    '13000',
    '--statement-timeout-ms',
    '120000',
  ],
  goals: { ...writes, residentExtraMib: undefined, refusedPoints: undefined },
  prepare: ({ port }) => makeHeap(port),
  strike: async (stage) => {
    const huge = await stage.execute(create(7), { limitMs: 240_000 });
    const small = await stage.execute(smallWrite());
    const failures =
      small.status === 200 ? [] : [`the next write got ${small.status} ${small.reason}`];
    return outcomeOf([huge, small], failures);
  },
};

function smallWrite(): string {
  const nodes = { n: numbers('n', -5, -4), p: project('n', { id: col('n', 'n') }) };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}
