/** docs/metrics.md, made from the instruments. */

import { durationBounds, type Instrument, rowBounds } from '#observe';
import { prometheusName } from '#telemetry';
import { ServerLifecycle } from '../lifecycle.ts';
import { Metrics } from './metrics.ts';

const boundsOf = (bounds: readonly number[]) => bounds.join(', ');

const preface = `# Metrics

\`GET /metrics\` answers these in the text format of Prometheus, unless \`--metrics false\` says otherwise. Attributes have few values each: no name of a table, no key, no address.
Probes and scrapes that succeed are not counted. Durations are histograms with bounds from 50 µs to 2 minutes: ${boundsOf(durationBounds)} s. A read by key takes 100 to 200 µs. Histograms of rows have the bounds ${boundsOf(rowBounds)}. What grows only begins with the process; a counter of the store begins when the store is opened.

| name in Prometheus | name | | unit | |
|---|---|---|---|---|
`;

const attributes = `
## Attributes of storage metrics

Requests to a bucket (\`svc.storage.object.*\`) are counted where they are made, each under one component and one part of the store. Requests of a store in a directory are not counted.

- \`component\`: \`db\` is the database that takes writes: its log, its manifests, its flushes and its reads. \`reader\` is a database that follows another process. \`compactor\` merges tables. \`gc\` lists and deletes objects that nobody needs, and lists the pins of readers. If merges run on the thread of the store, because their own thread died several times in a row, they read tables that the database has open: those reads count as \`db\`.
- \`store\`: \`log\` is the write-ahead log, \`main\` is everything else.
- \`svc.storage.activity\`: \`foreground\` for \`db\` and \`reader\`, \`background\` for \`compactor\` and \`gc\`.

The collector (\`svc.storage.gc.*\`) is measured in directories, too. A reader has no collector.
`;

const absent = `
## What is known elsewhere under these names, and is not here

| name | why |
|---|---|
| \`svc.execution.parallel.*\` | a program runs on one thread |
| \`svc.kv.operation.duration\`, \`keyspace\` | reads are answered from memory within less than a clock can tell; \`svc.storage.object.request.time\` has those that leave the process |
| \`svc.relation.cache.{dependency,catalog,prepared,shadow}.*\` | a kept answer stands with the state that it shows: there are no caches of parts of it, and none on trial |
| \`svc.relation.cache.{reuse.opportunities,cohort.*,evidence.evictions,result.bytes,avoided.reads,avoided.bytes}\` | of answers that might have been kept nobody keeps count |
| avoided execution of unchanged queries | what a query that was not run would have taken is not known |
| \`svc.auth.*\` | there is no authentication |
| \`svc.postgresql.*\` | there is no such listener |
| delta lag | writers keep what is being made up to date themselves (docs/migrations.md): there is no delta to catch up with |
| pinned reclamations | a reclamation waits for no view: values are removed by commits like any other |
| \`svc.storage.requests\`, \`.request.duration\`, \`.request.bytes\` | \`svc.storage.object.*\`; time as a sum |
| \`svc.storage.database.requests\` | \`svc.program.executions\` and \`svc.kv.operations\` |
| \`svc.storage.lsm.stalls\` | \`svc.storage.backpressure.events\`, \`kind="stopped"\` |
| \`svc.storage.filter.checks\`, \`.merge.operands\` | filters are looked at for each key of each run, which is too often to be counted; there are no merge operands |
| \`svc.storage.store.cache.accesses\` | \`svc.storage.cache.accesses\`: \`tier="memory"\` is decoded, \`tier="local"\` the local disk |
| \`svc.storage.cache.evicted.bytes\` | entries are about a block each: \`svc.storage.cache.evictions\` |
| \`svc.storage.object.request.duration\` | \`svc.storage.object.request.time\`: time as a sum |
| \`svc.storage.compaction.bytes\` | \`svc.storage.compaction.written\` |
| \`svc.storage.wal.buffer.bytes\`, \`.wal.buffer.flush.requests\` | each group of commits is one flush, \`svc.storage.wal.buffer.flushes\`; what waits for the next one is not counted |
| \`svc.storage.compaction.{ssts,jobs.claimed,jobs.reclaimed,expired.entries,epoch,last.timestamp,backlog.bytes,throughput}\` | merges belong to the process that writes, nobody claims them; entries do not expire; throughput is the rate of \`svc.storage.compaction.written\` |
| \`svc.storage.lsm.segment.max_l0_ssts\`, \`.lsm.sst_views\`, \`.external.databases\` | there are no segments, no views of parts of tables, no external databases |
`;

const kinds: Readonly<Record<Instrument['kind'], string>> = {
  counter: 'grows only',
  sum: 'up and down',
  gauge: 'up and down, no sum over processes',
  histogram: 'histogram',
};

/** The clock is not read: nothing is measured for this page. */
export function metricsPage(): string {
  const clock = { monotonicMs: () => 0, unixMs: () => 0 };
  const { availability } = new ServerLifecycle(clock);
  const metrics = new Metrics({ engine: () => undefined, availability });
  const rows = metrics
    .instruments()
    .map(
      (instrument) =>
        `| \`${prometheusName(instrument)}\` | \`${instrument.name}\` | ${kinds[instrument.kind]} | ${instrument.unit.replace(/[{}]/g, '')} | ${instrument.description} |`,
    );
  return `${preface}${rows.join('\n')}\n${attributes}${absent}`;
}
