/** Instruments that dashboards of servers of this kind know: each is there, or docs/metrics.md says why not. */

import { expect, test } from 'bun:test';
import { metricsPage } from '#server';

/** Words behind a dot continue the first name of their line. */
const known = `
http.server.active_requests http.server.requests http.server.request.duration
svc.process .cpu.time .cpu.limit .cpu.throttled.duration .cpu.throttled.events .memory.rss .memory.limit
svc.program .active .admitted.active .queue.active .queue.duration .executions .duration .result.rows .affected.rows .statements
svc.statement .executions .duration .rows
svc.planner.duration
svc.operator .duration .rows
svc.execution.parallel .width .batches .rows
svc.kv .operations .io.bytes .operation.duration .scan.rows
svc.transaction .completions .duration .conflicts
svc.relation.cache .lookups .admissions .evictions .entries .retained.bytes .capacity.entries .capacity.bytes .result.limit.bytes
svc.relation.cache .result.bytes .dependency.lookups .dependency.evictions .catalog.lookups .prepared.lookups .shadow.lookups
svc.relation.cache .avoided.reads .avoided.bytes .avoided.time .coalesced.fills .reuse.opportunities .cohort.transitions .cohort.reuse.opportunities .evidence.evictions
svc.postgresql .connections .connections.active
svc.scheduler .jobs .quarantined .lost_workers
svc.storage .available .outages .outage.duration .fencing .cache.accesses .cache.capacity.bytes .requests .request.duration .request.bytes
svc.storage .database.requests .write.operations .write.batches .backpressure.events .lsm.stalls .memtable.flushes .lsm.flush.bytes .memtable.write.bytes
svc.storage .filter.checks .merge.operands .store.cache.accesses .cache.evictions .cache.evicted.bytes .cache.keys .cache.size.bytes
svc.storage .object.requests .object.unsuccessful.requests .object.request.duration
svc.storage .wal.buffer.flushes .wal.buffer.flush.requests .wal.buffer.bytes .wal.flush.bytes
svc.storage.compaction .bytes .ssts .jobs.claimed .jobs.reclaimed .expired.entries .epoch .last.timestamp .backlog.bytes .throughput .active
svc.storage .gc.runs .gc.deleted.objects .memory.bytes
svc.storage .lsm.ssts .lsm.segment.max_l0_ssts .lsm.sorted_runs .lsm.sst_views .external.databases .write.amplification
`;

const names = known
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [first, ...more] = line.split(' ') as [string, ...string[]];
    return more[0]?.startsWith('.') ? more.map((name) => first + name) : [first, ...more];
  });

const page = metricsPage();
const [there = '', absent = ''] = page.split('## Missing metrics');
const instruments = new Set(
  [...there.matchAll(/^\| `\w+` \| `([^`]+)` \|/gm)].map(([, name]) => name),
);
const explained = absent
  .split('\n')
  .flatMap((line) => namesIn(line.split('|')[1] ?? ''))
  .map(patternOf);

/** \`a.b.{c,d}.*\`, and \`.e\`, which stands for \`svc.storage.e\`. */
function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) =>
    name.startsWith('.') ? `svc.storage${name}` : name,
  );
}

function patternOf(name: string): RegExp {
  const text = name
    .replaceAll('.', '\\.')
    .replaceAll('*', '.*')
    .replace(/\{([^}]*)\}/, (_, of: string) => `(?:${of.replaceAll(',', '|')})`);
  return new RegExp(`^${text}$`);
}

/** The unit is no part of a name here: it comes back in that of Prometheus. */
const isThere = (name: string) => instruments.has(name.replace(/\.bytes$/, ''));
const isExplained = (name: string) => explained.some((pattern) => pattern.test(name));

test('each known instrument is there, or the page says why not', () => {
  expect(instruments.size).toBeGreaterThan(80);
  expect(names.filter((name) => !isThere(name) && !isExplained(name))).toEqual([]);
});

test('the page explains nothing that is there, or that nobody knows', () => {
  expect(names.filter((name) => isThere(name) && isExplained(name))).toEqual([]);
  const isIdle = (pattern: RegExp) => !names.some((name) => pattern.test(name));
  const others = ['svc\\.auth\\.', 'keyspace'];
  const idle = explained.filter(isIdle).map(({ source }) => source);
  expect(idle.filter((source) => !others.some((it) => source.includes(it)))).toEqual([]);
});
