/** Clients that leave: what they asked for ends with them. */

import { type LiveAttack, outcomeOf, type Stage } from '../../attack.ts';
import { pointRead } from '../../programs/data.ts';
import { ask, binary, col, count, join, relation, scan, yes } from '../../programs/lir.ts';
import { executeBytes, openMany } from '../strikes.ts';

/** 10¹² pairs, of which none is kept: hours. */
export function loopJoin(): string {
  const on = binary('lt', binary('add', col('a', 'id'), col('b', 'id')), col('a', 'same'));
  const nodes = {
    a: scan('item', 'a'),
    b: scan('item', 'b'),
    j: join('a', 'b', on),
    c: count('j'),
  };
  return ask(relation(nodes, 'c', 'scalar'));
}

/** The same without a condition. */
export function crossJoin(): string {
  const nodes = {
    a: scan('item', 'a'),
    b: scan('item', 'b'),
    j: join('a', 'b', yes),
    c: count('j'),
  };
  return ask(relation(nodes, 'c', 'scalar'));
}

async function readAfter(stage: Stage) {
  const answer = await stage.execute(pointRead(1), { limitMs: 15_000 });
  return outcomeOf(
    [answer],
    answer.ms > 100 ? [`point read after ${Math.round(answer.ms)} ms`] : [],
  );
}

export const abandonedLoopJoins: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'abandoned-loop-joins',
  does: '8 loop joins whose clients leave after a second, then a point read and SIGTERM',
  strike: async (stage) => {
    const connections = await openMany(stage, 8, executeBytes(stage, loopJoin()));
    await Bun.sleep(1000);
    for (const connection of connections) connection.leave();
    return readAfter(stage);
  },
};

export const vanishedClients: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'vanished-clients',
  does: '1,000 clients send heavy queries and reset their connections; half a second later the process is idle',
  goals: { idleShare: 0.05 },
  strike: async (stage) => {
    const connections = await openMany(stage, 1000, executeBytes(stage, loopJoin()));
    await Bun.sleep(1000);
    for (const connection of connections) connection.reset();
    return { got: [], failures: [] };
  },
};

export const halfClosed: LiveAttack = {
  kind: 'live',
  part: 'work',
  name: 'half-closed',
  does: '16 clients send a heavy query and FIN, but stay to read',
  strike: async (stage) => {
    const connections = await openMany(stage, 16, executeBytes(stage, loopJoin()));
    for (const { socket } of connections) socket.end();
    await Bun.sleep(1000);
    return readAfter(stage);
  },
};
