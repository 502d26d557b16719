/** `npm run fuzz-bodies [-- --bodies N] [-- --seed S]`: random and mutated bodies get answers or problems; never a 500, a hang or growing memory. */

import { parseArgs } from 'node:util';
import { loadCases } from '../support/case.ts';
import { openTestDatabase } from '../support/database.ts';
import { seededRandom } from '../support/seeded-random.ts';

const { values } = parseArgs({
  options: {
    bodies: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
  },
});
const bodies = Number(values.bodies);
const random = seededRandom(Number(values.seed));
const below = (count: number) => Math.floor(random() * count);
// The cases that test limits run long by design.
const samples = loadCases()
  .filter((found) => !found.name.includes('recursion'))
  .map((found) =>
    JSON.stringify(found.program, (_key, value) =>
      typeof value === 'bigint' ? `${value}` : value,
    ),
  );
const alphabet = '{}[]",:\\0123456789-.eE+ntfu\u0000é\u{1f600} kindvaluescope';

function mutated(text: string): string {
  let result = text;
  for (let edits = 1 + below(4); edits > 0; edits--) {
    const at = below(result.length + 1);
    const length = below(12);
    const other = samples[below(samples.length)] as string;
    const from = below(other.length);
    const inserts = ['', alphabet.charAt(below(alphabet.length)), other.slice(from, from + length)];
    result = result.slice(0, at) + inserts[below(3)] + result.slice(at + below(8));
  }
  return result;
}

/** Changes members of the document and stays JSON, so that later phases are reached. */
function rearranged(text: string): string {
  const document = JSON.parse(text) as object;
  for (let edits = 1 + below(2); edits > 0; edits--) {
    const [holder, key] = somewhere(document);
    const [other, otherKey] = somewhere(JSON.parse(samples[below(samples.length)] as string));
    const donors = [null, '', 0, -1, true, [], {}, 'x', 9e15, other[otherKey], other[otherKey]];
    if (below(8) === 0) delete holder[key];
    else holder[key] = donors[below(donors.length)];
  }
  return JSON.stringify(document);
}

/** A random member, by a walk that stops anywhere. */
function somewhere(document: object): readonly [Record<string, unknown>, string] {
  let holder = document as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys[below(keys.length)] ?? 'x';
    const member = holder[key];
    if (member === null || typeof member !== 'object' || below(6) === 0) return [holder, key];
    holder = member as Record<string, unknown>;
  }
}

function bodyOf(kind: number): string {
  const sample = samples[below(samples.length)] as string;
  if (kind === 0) return noise();
  return kind < 8 ? mutated(sample) : rearranged(sample);
}

function noise(): string {
  return Array.from({ length: below(200) }, () => alphabet.charAt(below(alphabet.length))).join('');
}

await using database = await openTestDatabase('schema');
const statuses = new Map<number, number>();
let slowestMsPer4KiB = 0;

async function timed(method: string, body: string) {
  const started = performance.now();
  const reply = await database.send(method, '/execute', body);
  return { reply, tookMs: performance.now() - started };
}

Bun.gc(true);
const before = process.memoryUsage().rss;
for (let i = 0; i < bodies; i++) {
  const body = bodyOf(below(20));
  const method = below(4) === 0 ? 'QUERY' : 'POST';
  let { reply, tookMs } = await timed(method, body);
  const share = Math.max(1, body.length / 4096);
  // The machine is shared: a pause of its own does not come three times.
  for (let again = 0; again < 2 && tookMs / share > slowestMsPer4KiB; again++) {
    const repeated = await timed(method, body);
    if (repeated.tookMs < tookMs) ({ reply, tookMs } = repeated);
  }
  slowestMsPer4KiB = Math.max(slowestMsPer4KiB, tookMs / share);
  statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
  if (reply.status < 500) continue;
  console.log(`status ${reply.status} for ${JSON.stringify(body)}: ${reply.text}`);
  process.exit(1);
}
Bun.gc(true);
const grownMiB = (process.memoryUsage().rss - before) / 2 ** 20;
const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ');
console.log(
  `${bodies} bodies (${counts}); slowest ${slowestMsPer4KiB.toFixed(1)} ms per 4 KiB; resident set grew ${grownMiB.toFixed(0)} MiB`,
);
if (slowestMsPer4KiB > 50) process.exitCode = 1;
