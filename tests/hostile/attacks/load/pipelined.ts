/** Requests sent before the answer to the one before: none is executed without an answer being tried. */

import type { LiveAttack } from '../../attack.ts';
import { col, numbers, program, project, relation, statement } from '../../programs/lir.ts';
import { Connection } from '../../target/connection.ts';
import { countRows } from '../../target/rows.ts';
import { executeBytes } from '../strikes.ts';

const connections = 200;
const pipelined = 4;
const firstId = 7_000_000;

function create(id: number): string {
  const nodes = { r: numbers('r', id, id + 1), p: project('r', { id: col('r', 'n') }) };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}

export const pipelinedPosts: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'pipelined-posts',
  does: '200 connections send 4 creates each at once: not more rows than answers',
  goals: { idleShare: undefined },
  strike: async (stage) => {
    const before = (await countRows(stage.port, 'digit')).rows ?? 0;
    const all = Array.from({ length: connections }, () => new Connection({ port: stage.port }));
    await Promise.all(all.map(({ opened }) => opened));
    for (const [i, connection] of all.entries()) {
      const ids = Array.from({ length: pipelined }, (_, j) => firstId + i * pipelined + j);
      connection.send(Buffer.concat(ids.map((id) => executeBytes(stage, create(id)))));
    }
    await Bun.sleep(3000);
    const answers = all.reduce((sum, { head }) => sum + head.split('HTTP/1.1 200').length - 1, 0);
    const closedEarly = all.filter(({ isClosed }) => isClosed).length;
    for (const connection of all) connection.leave();
    const rows = ((await countRows(stage.port, 'digit')).rows ?? 0) - before;
    const got = [
      `${rows} rows, ${answers} answers, ${closedEarly} connections closed by the server`,
    ];
    // The first of each connection is executed; its answer is tried on a connection that Bun has closed.
    const unanswered = rows - answers;
    return {
      got,
      failures: unanswered > connections ? [`${unanswered} rows without an answer`] : [],
    };
  },
};
