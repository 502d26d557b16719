/** The response of `GET /statistics`: the statistics from which the planner makes its plans (docs/statistics.md). */

import { Type } from '@sinclair/typebox';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const count = (description: string) => int64(description, { minimum: 0 });
const many = (description: string, definition: string) => list(description, ref(definition));

const factor = (description: string) => Type.Number({ description, minimum: 0 });

const metric = (description: string) => ref('StatisticsResourceMetric', description);
const frequencies = {
  frequency: count('Maximum number of occurrences among the rows that were read.'),
  lowerFrequency: count('Minimum number of occurrences.'),
  maximumError: count('The difference between `frequency` and `lowerFrequency`.'),
};
const distinct = {
  nullCount: count('Rows with NULL; for a column group, rows with NULL in any of its columns.'),
  distinct: count(
    'Number of distinct values: those of the rows that were read if `coverage` is `complete`, otherwise an estimate for the table.',
  ),
  distinctIsExact: Type.Boolean({
    description: 'True only if `coverage` is `complete` and the values were counted one by one.',
  }),
};
const physicalMetric = (description: string) => ref('StatisticsPhysicalCostMetric', description);

export const statisticsDefinitions = {
  StatisticsResourceMetric: closed('Key-value work per execution.', {
    p50UpperBound: count('Upper bound of the median.'),
    p95UpperBound: count('Upper bound of the 95th percentile.'),
    maximum: count('The exact maximum.'),
  }),
  StatisticsResourceCost: closed('Logical work of complete statements on keys and values.', {
    basis: Type.Literal('logical_kv_work', { description: 'Always `logical_kv_work`.' }),
    observedExecutions: count('Executions whose work was counted, a sample of all executions.'),
    gets: metric('Reads of one key.'),
    puts: metric('Keys written.'),
    deletes: metric('Keys deleted.'),
    scans: metric('Key ranges read.'),
    iterated: metric('Entries visited in key ranges.'),
    bytesRead: metric('Bytes of keys and values read.'),
    bytesWritten: metric('Bytes of keys and values written.'),
  }),
  StatisticsPlanningValue: closed('Estimate of the benefit of a better choice of plans.', {
    score: count('The product of frequency, uncertainty, plan variation and cost difference.'),
    frequency: count('The `frequency` of the model.'),
    uncertaintyPpm: count(
      '(e - 1) / e in millionths, where e is the `qErrorP95UpperBound` of the model, at least 1.',
    ),
    observedPlanVariationPpm: count(
      'Fraction of executions by plans other than the most used one, in millionths.',
    ),
    costDifferenceMicros: count(
      'Difference between the median times of the fastest and the slowest plan, in microseconds.',
    ),
    comparableExecutions: count('Executions that were compared.'),
    rowCountClassUpperBound: count('Upper bound of the number of rows of each compared execution.'),
    minimumExecutions: count(
      'Minimum number of executions with an estimate, and of executions of each compared plan.',
    ),
    basis: name('The method by which the score is computed.'),
  }),
  StatisticsPlan: closed('One plan of a statement family.', {
    plan: name('Fingerprint of the operators and their access paths, without literals.'),
    executions: count('Number of executions by this plan.'),
  }),
  StatisticsModel: closed(
    'The execution model of a family: statements, or parts of queries, that differ only in literals, rows, limits and offsets.',
    {
      kind: oneOf(
        '`statement`: whole statements. `relation`: a part of a query, such as a scan, a join or groups.',
        ['relation', 'statement'],
      ),
      family: name(
        'Fingerprint of the family: version of the canonical form, hash algorithm, digest.',
      ),
      exactVariants: count('Approximate number of different combinations of literals.'),
      frequency: count('Approximate number of occurrences, halved every ten minutes.'),
      retainedExecutions: count('Measured executions.'),
      executionsWithEstimate: count(
        'Measured executions with an estimate. If this is 0, the errors are meaningless.',
      ),
      rowsP50UpperBound: count('Upper bound of the median number of rows.'),
      rowsP95UpperBound: count('Upper bound of the 95th percentile of the number of rows.'),
      rowsMax: count('The exact maximum number of rows.'),
      qErrorP50UpperBound: factor(
        'Upper bound of the median error, the factor by which an estimate was too large or too small.',
      ),
      qErrorP95UpperBound: factor('Upper bound of the 95th percentile of the error.'),
      qErrorMax: factor('The exact maximum error, with two decimals.'),
      executeMicrosP50UpperBound: optional(
        count('Upper bound of the median time of the timed executions, in microseconds.'),
      ),
      executeMicrosP95UpperBound: optional(
        count('Upper bound of the 95th percentile of that time.'),
      ),
      durationEwmaMicros: optional(
        count(
          'Exponentially weighted mean time in microseconds; the newest execution has a weight of 0.1.',
        ),
      ),
      plans: many('The executed plans, most used first, at most eight.', 'StatisticsPlan'),
      planningValue: optional(
        ref('StatisticsPlanningValue', 'Present if two plans can be compared.'),
      ),
      resourceCost: optional(ref('StatisticsResourceCost', 'Present only for kind `statement`.')),
    },
  ),
  StatisticsMostCommonValue: closed('A frequent value.', {
    value: Type.String({ description: 'The value; a string is in double quotes.' }),
    ...frequencies,
  }),
  StatisticsMostCommonColumnGroup: closed('A frequent combination of values.', {
    values: list('The values, in the order of `columns`.', Type.String()),
    ...frequencies,
  }),
  StatisticsColumnSynopsis: closed('Statistics of one column.', {
    column: count('Schema id of the column.'),
    valueGeneration: count('Changes when all values of the column are replaced.'),
    nullFraction: Type.Number({
      description: 'Fraction of rows with NULL.',
      minimum: 0,
      maximum: 1,
    }),
    ...distinct,
    averageWidth: count('Average size of a non-NULL value in bytes.'),
    minimum: optional(
      Type.String({
        description:
          'The least value of the table if `coverage` is `complete` or a key begins with the column, otherwise the least value of the rows that were read.',
      }),
    ),
    maximum: optional(
      Type.String({ description: 'The greatest value, of the same rows as `minimum`.' }),
    ),
    mostCommonValues: many(
      'The most common values, most common first, at most 32.',
      'StatisticsMostCommonValue',
    ),
  }),
  StatisticsColumnGroupSynopsis: closed('Combined statistics of several columns of a key.', {
    columns: list('Schema ids of the columns.', count('A schema id.')),
    valueGenerations: list('The `valueGeneration` of each column.', count('A generation.')),
    ...distinct,
    mostCommonValues: many(
      'The most common combinations, most common first, at most 32.',
      'StatisticsMostCommonColumnGroup',
    ),
  }),
  StatisticsSynopsis: closed(
    'Table statistics: the result of the last statistics job on a table.',
    {
      table: count('Schema id of the table.'),
      observedRows: count('Rows that were read.'),
      coverage: oneOf(
        '`complete`: the job read all rows. `prefixLimit`: it read a part of them, either samples of the whole table or the rows with the first keys.',
        ['complete', 'prefixLimit'],
      ),
      sampleSize: count('Number of rows from which the statistics were computed.'),
      changesSinceCollection: count('Approximate number of rows written since the job.'),
      tableExistenceGeneration: count(
        'Changes when a table with this id is deleted and created again.',
      ),
      collectedAtUnixMicros: count('The time of the job, in microseconds since 1970-01-01 UTC.'),
      catalogVersion: count('Version of the schema at the time of the job.'),
      columns: many('One entry per column.', 'StatisticsColumnSynopsis'),
      columnGroups: many(
        'Groups of two to four columns: prefixes of the primary key and of indexes, and foreign keys.',
        'StatisticsColumnGroupSynopsis',
      ),
    },
  ),
  StatisticsCorpusMaintenance: closed(
    'The contents of the stored corpus, and the records that this process has removed from it.',
    {
      expiredExecutions: count('Records of executions removed because of their age.'),
      prunedExecutions: count(
        'Records of executions removed because there were too many, or because their programs were too large together.',
      ),
      invalidExecutions: count('Records of executions deleted because they were unreadable.'),
      prunedPrograms: count('Programs removed with their last record.'),
      invalidPrograms: count('Programs deleted because they did not match their key.'),
      erasedExecutions: count('Records of executions erased by a request.'),
      erasedPrograms: count('Programs erased by a request.'),
      retainedExecutions: count(
        'Stored records of executions, one per program and minute in which it ran.',
      ),
      retainedPrograms: count('Stored programs.'),
      retainedProgramBytes: count('Total size of the stored programs in bytes.'),
    },
  ),
  StatisticsCorpus: closed(
    'The workload corpus: programs that the store keeps for replay. The counters count executions.',
    {
      enabled: Type.Boolean({ description: 'True if this process captures programs.' }),
      captured: count('Executions whose program was captured or was in the corpus already.'),
      skippedOversize: count('Executions of programs that were too large.'),
      droppedQueue: count('Executions for which the queue had no room.'),
      shedPending: count(
        'Executions discarded because a limit per minute was reached, or because their commit failed.',
      ),
      maintenance: optional(ref('StatisticsCorpusMaintenance', 'Present if `enabled` is true.')),
    },
  ),
  StatisticsRelay: closed('The relay of execution statistics from readers to their writer.', {
    state: optional(
      oneOf(
        'The outcome of the newest batch of a reader. `idle`: there was nothing to send yet. `retrying`: a batch waits for a retry. `losing`: a batch was lost, and none was accepted since.',
        ['connected', 'retrying', 'losing', 'idle'],
      ),
    ),
    sent: optional(count('Batches that the writer accepted.')),
    abandoned: optional(count('Batches given up after all retries.')),
    rejected: optional(count('Batches that the writer rejected permanently.')),
    holding: optional(Type.Boolean({ description: 'True if a batch waits for a retry.' })),
    corpusSent: optional(count('Corpus programs that the writer accepted.')),
    corpusWithheld: optional(
      count(
        'Corpus programs that were dropped, because there was no verified TLS or because the writer refused them.',
      ),
    ),
    received: count('Accepted batches.'),
    receivedAlreadyApplied: count('Batches that had been received before.'),
    receivedRejected: count('Batches rejected because of another format.'),
    receivedSaturated: count('Batches for which the queue had no room.'),
    receivedCorpusOversize: count('Batches rejected because of a program above 1 MiB.'),
    sources: count('Processes whose last batch is remembered.'),
    mergedObservations: count('Executions added to models.'),
    corpusAdopted: count('Corpus programs accepted from readers.'),
    refusedStaleFamilies: count(
      'Plans refused because their tables or columns differ from those of the writer.',
    ),
  }),
  StatisticsPhysicalCostMetric: closed('A measurement of all requests of a class.', {
    p50UpperBound: count('Upper bound of the median.'),
    p95UpperBound: count('Upper bound of the 95th percentile.'),
    maximumUpperBound: count('Upper bound of the maximum.'),
  }),
  StatisticsPhysicalRequestCost: closed('Requests of one class to the store.', {
    class: oneOf('The class. `read`: a whole object. `range_read`: a part of an SSTable.', [
      'read',
      'range_read',
      'metadata_read',
      'write',
      'delete',
      'list',
    ]),
    observedRequests: count('Number of requests.'),
    errors: count('Number of requests that failed or had an unknown outcome.'),
    latencyMicros: optional(
      physicalMetric('Time from the request to the end of its response, in microseconds.'),
    ),
    bytes: optional(physicalMetric('Bytes of the object that a successful request transferred.')),
    sizeUpperBound: optional(
      count('The least power of two that no request has exceeded in transferred bytes.'),
    ),
    concurrencyUpperBound: optional(
      count('The least power of two that the number of simultaneous requests has not exceeded.'),
    ),
    serviceTier: optional(
      oneOf('The tier that served the requests.', ['memory', 'local', 'remote']),
    ),
  }),
  StatisticsPhysicalCacheCost: closed('A cache.', {
    tier: oneOf('The location of the cache: memory or local disk.', ['memory', 'local']),
    accesses: count('Number of lookups.'),
    hits: count('Number of lookups that found the data in the cache.'),
    hitRatePpm: count('Fraction of lookups that were hits, in millionths.'),
  }),
  StatisticsPhysicalTelemetryCapabilities: closed('The measurements that the backend provides.', {
    requestLatency: Type.Boolean({ description: 'True if the latency of requests is measured.' }),
    requestBytes: Type.Boolean({ description: 'True if the size of requests is measured.' }),
    requestConcurrency: Type.Boolean({
      description: 'True if the number of simultaneous requests is measured.',
    }),
    cacheTiers: Type.Boolean({ description: 'True if accesses and hits of caches are measured.' }),
    accessLocality: Type.Boolean({
      description: 'True if the tier that served a request is recorded.',
    }),
  }),
  StatisticsPhysicalCost: closed(
    'Storage requests and cache accesses of this process since its start.',
    {
      basis: Type.Literal('backend_physical_telemetry', {
        description: 'Always `backend_physical_telemetry`.',
      }),
      backend: oneOf('The storage backend.', ['memory', 'file', 's3']),
      telemetryFormat: count('Version of the format of these measurements: 1.'),
      capabilities: ref('StatisticsPhysicalTelemetryCapabilities'),
      requests: many(
        'Requests to a remote store, one entry per class.',
        'StatisticsPhysicalRequestCost',
      ),
      caches: many('Caches, one entry per tier.', 'StatisticsPhysicalCacheCost'),
    },
  ),
  Statistics: closed(
    'Statistics of programs and tables from which the planner makes its plans. They never change a result.',
    {
      absorbed: count('Executions added to models.'),
      dropped: count('Executions for which the queue had no room.'),
      evicted: count('Models removed because of the limit of their number.'),
      shed: count(
        'Executions from which plans did not learn, because too many families had something to learn at the same time.',
      ),
      corpus: ref('StatisticsCorpus'),
      relay: ref('StatisticsRelay'),
      trackedFamilies: count('Families with a model.'),
      models: many(
        'Models of the families, those with the most measured executions first.',
        'StatisticsModel',
      ),
      synopses: many('Table statistics, one entry per table.', 'StatisticsSynopsis'),
      physicalCost: optional(ref('StatisticsPhysicalCost')),
    },
  ),
};
