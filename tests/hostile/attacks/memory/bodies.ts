/** Bombs 17 to 19: what a body of 4 MiB may be, and what many bodies leave behind. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import {
  ask,
  binary,
  col,
  filter,
  int,
  order,
  project,
  relation,
  scan,
} from '../../programs/lir.ts';
import { Connection } from '../../target/connection.ts';
import { answerOn } from '../../target/request.ts';
import { executeBytes } from '../strikes.ts';
import { cells } from '../work/large-bodies.ts';
import { bombs } from './bomb.ts';

const bodyBytes = (4 << 20) - 1000;

export const brackets = bombs({
  name: 'bomb-brackets',
  does: '17a: 4 MiB of `[`',
  body: () => '['.repeat(bodyBytes),
});

export const tinyCells = bombs({
  name: 'bomb-cells',
  does: '17b: 4 MiB of tiny cells',
  body: () => cells(1_000_000, 1000),
});

const oneText = (text: string, fields: number): string => {
  const rows = [
    { kind: 'rows', scope: 'r', columns: [{ name: 't', type: 'text' }], rows: [['@']] },
  ];
  const many = Array.from({ length: fields }, (_, i) => [`f${i}`, col('r', 't')] as const);
  const nodes = {
    r: rows[0] as object as Record<string, unknown>,
    o: order('r', col('r', 't')),
    p: project('o', Object.fromEntries(many)),
  };
  return ask(relation(nodes, 'p')).replace('"@"', `"${text}"`);
};

export const escapes = bombs({
  name: 'bomb-escapes',
  does: '17c: 4 MiB of escapes',
  body: () => oneText('\\u00e9'.repeat(690_000), 1),
});

export const projectedText = bombs({
  name: 'bomb-projected-text',
  does: '18: a text of 4 MB projected 1,000 times',
  body: () => oneText('x'.repeat(3_900_000), 1000),
});

const shapes = 100_000;
const clients = 16;

/** All programs differ in their shape, so that none of them is known already. */
function shape(i: number): string {
  const nodes = {
    s: scan('item', `s${i}`),
    f: filter('s', binary('eq', col(`s${i}`, 'id'), int(i))),
    o: order('f', col(`s${i}`, 'id')),
    p: project('o', { [`f${i}`]: col(`s${i}`, 'id'), note: col(`s${i}`, 'note') }),
  };
  return ask(relation(nodes, 'p'));
}

export const manyShapes: LiveAttack = {
  kind: 'live',
  part: 'memory',
  name: 'bomb-shapes',
  does: '19: 100,000 program shapes',
  strike: async (stage) => {
    let next = 0;
    const failed: string[] = [];
    const client = async () => {
      const connection = new Connection({ port: stage.port });
      await connection.opened;
      while (next < shapes && !connection.isClosed) {
        connection.rewind();
        connection.send(executeBytes(stage, shape(next++)));
        const answer = await answerOn(connection, 60_000);
        if (answer.status !== 200) failed.push(...outcomeOf([answer]).got);
      }
      connection.leave();
    };
    await Promise.all(Array.from({ length: clients }, client));
    return { got: [`${next} shapes`], failures: [...new Set(failed)] };
  },
};
