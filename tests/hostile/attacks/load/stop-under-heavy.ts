/** SIGTERM while heavy queries run and writes are under way. */

import type { LiveAttack, Stage } from '../../attack.ts';
import { isRunning } from '../../gauge/process.ts';
import {
  binary,
  col,
  int,
  numbers,
  program,
  project,
  relation,
  statement,
} from '../../programs/lir.ts';
import { Connection } from '../../target/connection.ts';
import { answerOn } from '../../target/request.ts';
import { executeBytes, openMany } from '../strikes.ts';
import { loopJoin } from '../work/abandoned.ts';

const drainMs = 5000;

function write(i: number): string {
  const id = binary('add', col('r', 'n'), int(2_000_000 + i * 1000));
  const nodes = { r: numbers('r', 0, 1000), p: project('r', { id }) };
  return program([statement('create', 'digit', relation(nodes, 'p'))]);
}

async function writeOn(stage: Stage, i: number): Promise<string> {
  const connection = new Connection({ port: stage.port });
  await connection.opened;
  connection.send(executeBytes(stage, write(i)));
  const { status, reason } = await answerOn(connection, 60_000);
  connection.leave();
  return status <= 0 ? 'no answer' : `${status} ${reason}`.trim();
}

export const stopUnderHeavy: LiveAttack = {
  kind: 'live',
  part: 'load',
  name: 'stop-under-heavy',
  does: `SIGTERM under 16 heavy queries and 8 writes, with a drain deadline of ${drainMs / 1000} s`,
  flags: ['--drain-timeout-ms', `${drainMs}`],
  goals: {
    ...{
      gapMs: undefined,
      pointMs: undefined,
      refusedPoints: undefined,
      idleShare: undefined,
      isAlive: undefined,
    },
    stopMs: undefined,
  },
  strike: async (stage) => {
    const heavy = await openMany(stage, 16, executeBytes(stage, loopJoin()));
    await Bun.sleep(1000);
    const writes = Array.from({ length: 8 }, (_, i) => writeOn(stage, i));
    await Bun.sleep(20);
    const startedAt = performance.now();
    stage.server.kill('SIGTERM');
    const answers = await Promise.all(writes);
    const heavyAnswers = await Promise.all(heavy.map((one) => answerOn(one, drainMs + 5000)));
    await Promise.race([stage.server.exited, Bun.sleep(drainMs + 5000)]);
    const ms = Math.round(performance.now() - startedAt);
    const failures = answers.filter((answer) => answer === 'no answer').map((a) => `write: ${a}`);
    if (isRunning(stage.server.pid)) failures.push(`still running ${ms} ms after SIGTERM`);
    const unanswered = heavyAnswers.filter(({ status }) => status <= 0).length;
    return {
      got: [`ended after ${ms} ms`, `writes: ${[...new Set(answers)].join(', ')}`],
      failures:
        unanswered > 0 ? [...failures, `${unanswered} queries without an answer`] : failures,
    };
  },
};
