/** Generates `docs/metrics.md` from the instruments. */

import { durationBounds, type Instrument, rowBounds } from '#observe';
import { prometheusName } from '#telemetry';
import { ServerLifecycle } from '../lifecycle.ts';
import { Metrics } from './metrics.ts';

const boundsOf = (bounds: readonly number[]) => bounds.join(', ');

const preface = `# Metrics

Reference of all metrics of a server. \`GET /metrics\` returns them in the text format of Prometheus, unless the server runs with \`--metrics false\`. Each attribute has few values: attributes contain no table names, keys or addresses.

- Successful probes and scrapes are not counted.
- A counter starts at 0 with the process. A counter of the store starts when the store opens.
- A gauge goes up and down. The values of an *additive gauge* can be added over processes, those of other gauges cannot.
- Histograms of durations have bounds from 50 µs to 2 minutes: ${boundsOf(durationBounds)} s. A read by key takes 100 to 200 µs.
- Histograms of rows have the bounds ${boundsOf(rowBounds)}.

| name in Prometheus | name | type | unit | description |
|---|---|---|---|---|
`;

const attributes = `
## Attributes of storage metrics

Requests to a bucket (\`svc.storage.object.*\`) are counted by their sender, each under one component and one part of the store. Requests of a store in a directory are not counted.

- \`component\`: \`db\` is the database that takes writes: its log, its manifests, its flushes and its reads. \`reader\` is a database that follows another process. \`compactor\` runs compactions. \`gc\` lists and deletes unused objects, and lists the reader pins. If the compaction thread died several times in a row, compactions run on the thread of the store and read SSTables that the database has open. These reads count as \`db\`.
- \`store\`: \`log\` is the write-ahead log, \`main\` is everything else.
- \`svc.storage.activity\`: \`foreground\` for \`db\` and \`reader\`, \`background\` for \`compactor\` and \`gc\`.

The metrics of the garbage collector (\`svc.storage.gc.*\`) also count in directories. A reader has no collector.
`;

const absent = `
## Missing metrics

Other servers of this kind have metrics under the following names. svc does not have them.

| name | reason, or metric of svc |
|---|---|
| \`svc.execution.parallel.*\` | a program runs on one thread |
| \`svc.kv.operation.duration\`, \`keyspace\` | reads from memory are shorter than the resolution of a clock; \`svc.storage.object.request.time\` measures reads that leave the process |
| \`svc.relation.cache.{dependency,catalog,prepared,shadow}.*\` | a cached result is stored with the state that it shows: there are no caches of its parts and no trial caches |
| \`svc.relation.cache.{reuse.opportunities,cohort.*,evidence.evictions,result.bytes,avoided.reads,avoided.bytes}\` | results that were not cached are not counted |
| avoided execution of unchanged queries | the duration of a query that was not executed is unknown |
| \`svc.auth.*\` | the audit log records failures of authentication |
| delta lag | writers update indexes and columns while these are being built (docs/migrations.md): there is no delta to catch up with |
| pinned reclamations | a reclamation does not wait for a version of the store: ordinary commits remove the values |
| \`svc.storage.requests\`, \`.request.duration\`, \`.request.bytes\` | \`svc.storage.object.*\`; duration as a sum |
| \`svc.storage.database.requests\` | \`svc.program.executions\` and \`svc.kv.operations\` |
| \`svc.storage.lsm.stalls\` | \`svc.storage.backpressure.events\`, \`kind="stopped"\` |
| \`svc.storage.filter.checks\`, \`.merge.operands\` | filters are checked for each key of each sorted run, which is too frequent to count; there are no merge operands |
| \`svc.storage.store.cache.accesses\` | \`svc.storage.cache.accesses\`: \`tier="memory"\` is the decoded cache, \`tier="local"\` the local disk |
| \`svc.storage.cache.evicted.bytes\` | \`svc.storage.cache.evictions\`; each entry has about the size of a block |
| \`svc.storage.object.request.duration\` | \`svc.storage.object.request.time\`: duration as a sum |
| \`svc.storage.compaction.bytes\` | \`svc.storage.compaction.written\` |
| \`svc.storage.wal.buffer.bytes\`, \`.wal.buffer.flush.requests\` | each group of commits is one flush, \`svc.storage.wal.buffer.flushes\`; commits that wait for the next flush are not counted |
| \`svc.storage.compaction.{ssts,jobs.claimed,jobs.reclaimed,expired.entries,epoch,last.timestamp,backlog.bytes,throughput}\` | compactions belong to the writer process and need no claim; entries do not expire; throughput is the rate of \`svc.storage.compaction.written\` |
| \`svc.storage.lsm.segment.max_l0_ssts\`, \`.lsm.sst_views\`, \`.external.databases\` | there are no segments, no views of parts of SSTables, no external databases |
`;

const kinds: Readonly<Record<Instrument['kind'], string>> = {
  counter: 'counter',
  sum: 'gauge, additive',
  gauge: 'gauge',
  histogram: 'histogram',
};

/** Returns the page. The clock is constant, because nothing is measured. */
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
