/** Writers that wait must not keep readers waiting, nor pile up without bound. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import {
  binary,
  col,
  filter,
  int,
  join,
  program,
  project,
  relation,
  scan,
  statement,
  yes,
} from '../../programs/lir.ts';
import { writes } from '../strikes.ts';

function manyRows(i: number): string {
  const id = binary(
    'add',
    binary('add', binary('mul', col('a', 'id'), int(1000)), col('b', 'id')),
    int(100_000_000 + i * 1_000_000),
  );
  const nodes = {
    a: scan('digit', 'a'),
    f: filter('a', binary('lt', col('a', 'id'), int(20))),
    b: scan('digit', 'b'),
    g: filter('b', binary('lt', col('b', 'id'), int(1000))),
    j: join('f', 'g', yes),
    p: project('j', { id }),
  };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}

export const waitingWriters: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'waiting-writers',
  does: '64 writers of 20,000 rows each against a memory for commits of 16 MiB; readers go on',
  flags: ['--store-max-unflushed-mib', '16', '--store-l0-sst-size-mib', '4'],
  goals: writes,
  strike: async (stage) => {
    const asks = Array.from({ length: 64 }, (_, i) => stage.execute(manyRows(i)));
    return outcomeOf(await Promise.all(asks));
  },
};

/** Each is to change the catalog alone. */
export const catalogFlood: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'catalog-flood',
  does: '3,000 changes of the catalog at once: what waits is bounded',
  goals: { ...writes, refusedPoints: undefined },
  strike: async (stage) => {
    const asks = Array.from({ length: 3000 }, (_, i) =>
      stage.ask({ path: '/tables', body: table(i), limitMs: 90_000 }),
    );
    return outcomeOf(await Promise.all(asks));
  },
};

const table = (i: number) =>
  JSON.stringify({
    name: `flood${i}`,
    columns: [{ name: 'id', type: 'int64' }],
    primary_key: ['id'],
  });
