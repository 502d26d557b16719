/**
 * `bun run poller-process.ts PORT PID POINT-BODY`: asks /livez every few ms and reads one row by its key, from a process of its own,
 * so that the work of the attacking client distorts nothing. A line on stdin ends a phase; a line of JSON on stdout tells what it was.
 */

import { createInterface } from 'node:readline';
import { type Phase, summarize } from './phase.ts';
import { ProbeConnection } from './probe-connection.ts';
import { openThreadTimes } from './process.ts';

const [port, pid, body] = process.argv.slice(2) as [string, string, string];
const livezEveryMs = 3;
const pointEveryMs = 8;
const host = `Host: 127.0.0.1:${port}\r\n`;
const server = openThreadTimes(Number(pid));
const self = openThreadTimes('self');

const livez = new ProbeConnection({
  port: Number(port),
  request: `GET /livez HTTP/1.1\r\n${host}\r\n`,
  everyMs: livezEveryMs,
  server,
  self,
});

let refused: Record<string, number> = {};
const points = body === '' ? undefined : openPoints();
let startedAt = performance.now();

function openPoints(): ProbeConnection {
  return new ProbeConnection({
    port: Number(port),
    request:
      `POST /execute HTTP/1.1\r\n${host}Content-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
    everyMs: pointEveryMs,
    server,
    self,
    onAnswer: (text) => {
      if (text.startsWith('HTTP/1.1 200') && text.includes('"id"')) return;
      const what = `${text.slice(9, 12)} ${/"reason":"(\w+)"/.exec(text)?.[1] ?? ''}`.trim();
      refused[what] = (refused[what] ?? 0) + 1;
    },
  });
}

function endPhase(): Phase {
  const phase: Phase = {
    seconds: (performance.now() - startedAt) / 1000,
    livez: summarize(livez.take(), livezEveryMs),
    points: summarize(points?.take() ?? [], pointEveryMs),
    refusedPoints: refused,
    lostConnections: livez.lost + (points?.lost ?? 0),
  };
  livez.lost = 0;
  if (points !== undefined) points.lost = 0;
  refused = {};
  startedAt = performance.now();
  return phase;
}

for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(endPhase())}\n`);
}
livez.close();
points?.close();
