/** Policies of statements that change more rows than fit into one chunk, in memory and spilled. */

import { describe, expect, test } from 'bun:test';
import type { Policies, PolicyCondition } from '#catalog';
import { memoryEngine } from '../engine/support/memory-engine.ts';
import { SpillDirectory } from '../support/spill-directory.ts';
import { column, create, equal, fillNotes, refusal, send, user } from './support.ts';

const count = 3_000;
const ada = user('ada');

/** Permits a row if a note has a value of the row. */
function ifNote(noteColumn: number, rowColumn: number): PolicyCondition {
  const predicate = equal(column('n', noteColumn), column('row', rowColumn));
  return {
    where: { kind: 'exists', node: 'same' },
    nodes: {
      notes: { kind: 'scan', table: 3, scope: 'n' },
      same: { kind: 'filter', input: 'notes', predicate },
    },
  };
}

const not = ({ where, nodes }: PolicyCondition): PolicyCondition => ({
  where: { kind: 'unary', op: 'not', expr: where },
  ...(nodes && { nodes }),
});

/** The size of a new note, and the team of an updated one, must not be the size of any note. A note may be deleted if the note exists whose id is its size. */
const policies: Policies = {
  claims: [],
  tables: [
    {
      ...{
        table: 3,
        read: 'all',
        create: not(ifNote(5, 5)),
        update: not(ifNote(5, 3)),
      },
      delete: ifNote(1, 5),
    },
  ],
};

const spilled = { openSpill: () => new SpillDirectory().space({ holdBytes: 1 << 16 }) };

describe.each([
  ['in memory', {}],
  ['spilled', spilled],
] as const)('%s', (_, setting) => {
  const open = async () => {
    const engine = await memoryEngine(setting);
    await fillNotes(engine, policies);
    return engine;
  };
  const rows = (of: (i: number) => (string | null)[]) =>
    Array.from({ length: count }, (_, i) => of(i + 1000));

  test('the condition of each row reads the state before the statement', async () => {
    const engine = await open();
    const made = rows((i) => [String(i), 'ada', null, '', '77']);
    expect(await send(engine, ada, [create('note', made)])).toHaveLength(count);
    const moved = rows((i) => [String(i), '78', '78']);
    const resize = create('note', moved, 'update', ['id', 'team', 'size']);
    expect(await send(engine, ada, [resize])).toHaveLength(count);
    const chain = rows((i) => [String(i), String(i === 1000 ? 1 : i - 1)]);
    await send(engine, undefined, [create('note', chain, 'update', ['id', 'size'])]);
    const drop = create(
      'note',
      rows((i) => [String(i)]),
      'delete',
      ['id'],
    );
    expect(await send(engine, ada, [drop])).toHaveLength(count);
    await engine.close();
  });

  test('a row that is not permitted is reported before a key that exists', async () => {
    const engine = await open();
    const made = rows((i) => [
      i === 1000 ? '1' : String(i),
      'ada',
      null,
      '',
      i === 3500 ? '10' : '9',
    ]);
    const refused = await refusal(engine, ada, [create('note', made)]);
    expect(refused).toStartWith('policy_violation: ');
    expect(refused).toContain('row 2501 of 3000');
    await engine.close();
  });

  test('a hidden target in a later chunk is reported before a row that is not permitted', async () => {
    const engine = await open();
    await send(engine, undefined, [
      create(
        'note',
        rows((i) => [String(i), 'ada', null, '', '77']),
      ),
    ]);
    const change = rows((i) => [i === 3500 ? '99999' : String(i), i === 1000 ? '10' : null]);
    const refused = await refusal(engine, ada, [create('note', change, 'update', ['id', 'team'])]);
    expect(refused).toStartWith('mutation_target_not_found: ');
    await engine.close();
  });
});
