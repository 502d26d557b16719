/** Eight heavy programs run, and others go on reading. */

import type { LiveAttack, Stage } from '../../attack.ts';
import { pointRead } from '../../programs/data.ts';
import { Connection } from '../../target/connection.ts';
import { answerOn } from '../../target/request.ts';
import { executeBytes, openMany } from '../strikes.ts';
import { loopJoin } from './abandoned.ts';

const windowMs = 3000;

/** Point reads a second over four connections, one after the other on each. */
export async function pointsPerSecond(stage: Stage, connections = 4): Promise<number> {
  const endsAt = performance.now() + windowMs;
  const reader = async () => {
    let done = 0;
    const connection = new Connection({ port: stage.port });
    await connection.opened;
    while (performance.now() < endsAt) {
      connection.rewind();
      connection.send(executeBytes(stage, pointRead((done * 7919) % stage.rows)));
      const { status } = await answerOn(connection, Math.max(1, endsAt - performance.now()));
      if (status === 200) done++;
      else if (connection.isClosed) break;
    }
    connection.leave();
    return done;
  };
  const counts = await Promise.all(Array.from({ length: connections }, reader));
  return counts.reduce((sum, n) => sum + n, 0) / (windowMs / 1000);
}

export const heavyBesidePoints: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'heavy-beside-points',
  does: 'point reads over 4 connections beside 8 heavy programs, against the same when idle',
  strike: async (stage) => {
    const idle = await pointsPerSecond(stage);
    const heavy = await openMany(stage, 8, executeBytes(stage, loopJoin()));
    await Bun.sleep(500);
    const beside = await pointsPerSecond(stage);
    for (const connection of heavy) connection.leave();
    const share = beside / idle;
    const got = `${Math.round(beside)}/s of ${Math.round(idle)}/s when idle: ${share.toFixed(2)}`;
    return { got: [got], failures: share < 0.5 ? [`${share.toFixed(2)} of idle, goal 0.5`] : [] };
  },
};
