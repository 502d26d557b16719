/** Connections that are opened and not used as they are meant to be. */

import { type LiveAttack, outcomeOf, type Stage } from '../../attack.ts';
import { processorMs, residentMib } from '../../gauge/process.ts';
import type { Connection } from '../../target/connection.ts';
import { executeBytes, openMany } from '../strikes.ts';
import { pointsPerSecond } from '../work/heavy-beside-points.ts';
import { wholeTable } from '../work/reads.ts';

const live = { kind: 'live', part: 'load' } as const;

/** At the limit of connections requests are refused until room is made, a look or two later: point reads of some 100 ms. */
const whileFull = { refusedPoints: 15 };

function leaveAll(connections: readonly Connection[]): void {
  for (const connection of connections) connection.leave();
}

const closed = (all: readonly Connection[]) => all.filter(({ isClosed }) => isClosed).length;

async function untilClosed(all: readonly Connection[], limitMs: number): Promise<number> {
  const endsAt = performance.now() + limitMs;
  while (closed(all) < all.length && performance.now() < endsAt) await Bun.sleep(100);
  return closed(all);
}

export const deafReaders: LiveAttack = {
  ...live,
  name: 'deaf-readers',
  does: '25 clients ask for 50 MB each and read nothing; all closed within 160 s',
  strike: (stage) => deaf(stage, 25),
};

/**
 * A program may take its deadline of 60 s, and a connection with an answer of any kind, which a client that does not read has got as well as
 * any other, may stay for 80 s more. Streams end earlier.
 */
const deafMs = 160_000;

export async function deaf(stage: Stage, clients: number) {
  const before = socketsOf(stage);
  const all = await openMany(stage, clients, '');
  // Opened is what the system says: the server may not have looked yet.
  while (socketsOf(stage) < before + clients) await Bun.sleep(50);
  for (const { socket } of all) socket.pause();
  const bytes = executeBytes(stage, wholeTable('id', 'name'));
  for (const connection of all) connection.send(bytes);
  const endsAt = performance.now() + deafMs;
  // A paused socket sees no end: what the server holds open is asked of the system.
  while (socketsOf(stage) > before && performance.now() < endsAt) await Bun.sleep(500);
  const left = Math.max(0, socketsOf(stage) - before);
  leaveAll(all);
  return {
    got: [`${left} still held`],
    failures: left > 0 ? [`${left} of ${clients} still held`] : [],
  };
}

/** Connections that the server holds, whatever their clients do. */
function socketsOf({ server }: Stage): number {
  const fds = Bun.spawnSync(['find', `/proc/${server.pid}/fd`, '-lname', 'socket:*']);
  return fds.stdout.toString().split('\n').length - 1;
}

export const partialBodies: LiveAttack = {
  ...live,
  name: 'partial-bodies',
  does: '300 bodies of which 3 of 4 MiB come, and then nothing; all closed within 90 s',
  strike: async (stage) => {
    const head =
      `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${4 << 20}\r\n\r\n`;
    const all = await openMany(
      stage,
      300,
      Buffer.concat([Buffer.from(head), Buffer.alloc(3 << 20, ' ')]),
    );
    return closedOutcome(all, 90_000);
  },
};

async function closedOutcome(all: readonly Connection[], limitMs: number) {
  const startedAt = performance.now();
  const done = await untilClosed(all, limitMs);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const statuses = new Set(all.map(({ head }) => head.slice(9, 12) || 'no answer'));
  leaveAll(all);
  const got = [`${done} of ${all.length} closed after ${seconds} s`, [...statuses].join(', ')];
  const failures = done < all.length ? [`${all.length - done} of ${all.length} never closed`] : [];
  return { got, failures };
}

export const halfHeaders: LiveAttack = {
  ...live,
  name: 'half-headers',
  does: '1,300 half-sent headers against 1,024 descriptors; probes answer, all closed in 20 s',
  goals: whileFull,
  nofile: 1024,
  strike: async (stage) => {
    const all = await openMany(stage, 1300, 'POST /execute HTTP/1.1\r\nHost: x\r\nX-A: ');
    return closedOutcome(all, 20_000);
  },
};

export const idleKeepAlive: LiveAttack = {
  ...live,
  name: 'idle-keep-alive',
  does: '500 connections ask once and then stay: closed within 90 s, the default keep-alive time being 75 s',
  strike: async (stage) => {
    const bytes = `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\n\r\n`;
    return closedOutcome(await openMany(stage, 500, bytes), 90_000);
  },
};

export const silentConnections: LiveAttack = {
  ...live,
  name: 'silent-connections',
  does: '500 connections that never send a byte: closed within 75 s',
  strike: async (stage) => closedOutcome(await openMany(stage, 500, ''), 75_000),
};

export const tenThousand: LiveAttack = {
  ...live,
  name: 'ten-thousand-connections',
  does: '10,000 keep-alive connections, 100 active: reads a second of processor ≥ 0.9 of without, ≤ 60 MB more',
  flags: ['--max-connections', '14000'],
  strike: async (stage) => {
    const alone = await costOfPoints(stage);
    const before = residentMib(stage.server.pid);
    const bytes = `GET /livez HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\n\r\n`;
    const all = await openMany(stage, 10_000, bytes);
    await Bun.sleep(1000);
    const among = await costOfPoints(stage);
    const grown = residentMib(stage.server.pid) - before;
    const open = all.length - closed(all);
    leaveAll(all);
    const share = alone / among;
    const failures = [
      ...(share < 0.9 ? [`reads a second of processor ${share.toFixed(2)}, goal 0.9`] : []),
      ...(grown > 60 ? [`${Math.round(grown)} MiB more, goal 60`] : []),
      ...(open < 10_000 ? [`only ${open} stayed open`] : []),
    ];
    return {
      got: [`${open} open, throughput ${share.toFixed(2)}, +${Math.round(grown)} MiB`],
      failures,
    };
  },
};

/** Processor time of the server for a point read, in ms: other work on the machine moves that little. */
async function costOfPoints(stage: Stage): Promise<number> {
  const before = processorMs(stage.server.pid);
  const reads = await pointsPerSecond(stage, 100);
  return (processorMs(stage.server.pid) - before) / reads;
}

export const fileLimit: LiveAttack = {
  ...live,
  name: 'file-limit',
  does: 'nofile 2,048 and 3,000 connects: no spinning, probes answer',
  goals: whileFull,
  nofile: 2048,
  strike: async (stage) => {
    const all = await openMany(stage, 3000, '');
    const before = processorMs(stage.server.pid);
    const startedAt = performance.now();
    await Bun.sleep(3000);
    const share = (processorMs(stage.server.pid) - before) / (performance.now() - startedAt);
    const probe = await stage.ask({ path: '/livez', limitMs: 5000 });
    leaveAll(all);
    const { got, failures } = outcomeOf([probe]);
    const percent = `${Math.round(share * 100)} % of a processor`;
    return { got: [...got, percent], failures: share > 0.5 ? [...failures, percent] : failures };
  },
};

export const slowloris: LiveAttack = {
  ...live,
  name: 'slowloris',
  does: '5,000 headers and 1,000 bodies that drip a byte a second for 60 s',
  strike: async (stage) => {
    const body =
      `POST /execute HTTP/1.1\r\nHost: 127.0.0.1:${stage.port}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 65536\r\n\r\n{';
    const headers = await openMany(stage, 5000, 'GET /livez HTTP/1.1\r\nX-A: ');
    const bodies = await openMany(stage, 1000, body);
    const all = [...headers, ...bodies];
    let headersOpen = 0;
    for (let second = 0; second < 60 && closed(all) < all.length; second++) {
      for (const connection of all) connection.send(' ');
      await Bun.sleep(1000);
      if (second === 20) headersOpen = headers.length - closed(headers);
    }
    const open = all.length - closed(all);
    leaveAll(all);
    const failures = [
      ...(headersOpen > 0 ? [`${headersOpen} headers open after 20 s`] : []),
      ...(open > 0 ? [`${open} open after 60 s`] : []),
    ];
    return { got: [`${open} open after 60 s`], failures };
  },
};
