/** What the planner knows, as `GET /statistics` tells it (docs/statistics.md). */

import { Type } from '@sinclair/typebox';
import { closed, int64, list, name, oneOf, optional, ref } from '../schema/shapes.ts';

const count = (description: string) => int64(description, { minimum: 0 });
const many = (description: string, definition: string) => list(description, ref(definition));

const factor = (description: string) => Type.Number({ description, minimum: 0 });

const metric = (description: string) => ref('StatisticsResourceMetric', description);
const frequencies = {
  frequency: count('At most so often among the rows that were read.'),
  lowerFrequency: count('At least so often.'),
  maximumError: count('The difference of both.'),
};
const distinct = {
  nullCount: count('Rows with NULL; of a group, with any.'),
  distinct: count(
    'Different values. If coverage is complete, the count of the rows read; otherwise an estimate for the table.',
  ),
  distinctIsExact: Type.Boolean({
    description: 'True only if coverage is complete and the values were counted one by one.',
  }),
};
const physicalMetric = (description: string) => ref('StatisticsPhysicalCostMetric', description);

export const statisticsDefinitions = {
  StatisticsResourceMetric: closed('What executions asked of keys and values.', {
    p50UpperBound: count('At most so much in half of them.'),
    p95UpperBound: count('At most so much in 95 of 100.'),
    maximum: count('Exactly the most.'),
  }),
  StatisticsResourceCost: closed('Logical work on keys and values, of complete statements.', {
    basis: Type.Literal('logical_kv_work', { description: 'Always `logical_kv_work`.' }),
    observedExecutions: count('Executions whose work was counted: some of all.'),
    gets: metric('Reads of one key.'),
    puts: metric('Keys written.'),
    deletes: metric('Keys deleted.'),
    scans: metric('Ranges read.'),
    iterated: metric('Entries met in ranges.'),
    bytesRead: metric('Bytes of keys and values read.'),
    bytesWritten: metric('Bytes of keys and values written.'),
  }),
  StatisticsPlanningValue: closed('What a better choice of plans may be worth.', {
    score: count('Frequency × uncertainty × variation × difference.'),
    frequency: count('As in the model.'),
    uncertaintyPpm: count('(e - 1) / e of the error e of 95 in 100 estimates, in millionths.'),
    observedPlanVariationPpm: count('Share of executions by other plans than the most used one.'),
    costDifferenceMicros: count('Between the medians of the fastest and the slowest plan.'),
    comparableExecutions: count('Executions that were compared.'),
    rowCountClassUpperBound: count('They had at most so many rows.'),
    minimumExecutions: count('As many at least, with an estimate and of each plan.'),
    basis: name('How the score is made.'),
  }),
  StatisticsPlan: closed('One plan of a family.', {
    plan: name('Fingerprint of operators and how they read, without literals.'),
    executions: count('How often it ran.'),
  }),
  StatisticsModel: closed('A family: what differs in nothing but its literals.', {
    kind: oneOf('A whole statement, or one relation inside of some.', ['relation', 'statement']),
    family: name('Fingerprint: version of the canonical form, hash algorithm, digest.'),
    exactVariants: count('About how many different literals it came with.'),
    frequency: count('About how often it came; halved every ten minutes.'),
    retainedExecutions: count('Executions that were measured.'),
    executionsWithEstimate: count('Those of them with an estimate; 0: the errors say nothing.'),
    rowsP50UpperBound: count('At most so many rows in half of them.'),
    rowsP95UpperBound: count('At most so many rows in 95 of 100.'),
    rowsMax: count('Exactly the most rows.'),
    qErrorP50UpperBound: factor('At most so many times too large or too small in half of them.'),
    qErrorP95UpperBound: factor('The same in 95 of 100.'),
    qErrorMax: factor('Exactly the largest error, to a hundredth.'),
    executeMicrosP50UpperBound: optional(
      count('At most so long in half of those that were timed.'),
    ),
    executeMicrosP95UpperBound: optional(count('At most so long in 95 of 100.')),
    durationEwmaMicros: optional(count('Mean time, in which the newest counts a tenth.')),
    plans: many('The most used first, at most eight.', 'StatisticsPlan'),
    planningValue: optional(ref('StatisticsPlanningValue', 'Where two plans can be compared.')),
    resourceCost: optional(ref('StatisticsResourceCost', 'Of statements only.')),
  }),
  StatisticsMostCommonValue: closed('A value that comes often.', {
    value: Type.String({ description: 'The value; a text in quotes.' }),
    ...frequencies,
  }),
  StatisticsMostCommonColumnGroup: closed('Values that often come together.', {
    values: list('In the order of the columns.', Type.String()),
    ...frequencies,
  }),
  StatisticsColumnSynopsis: closed('What a survey found in a column.', {
    column: count('Schema id of the column.'),
    valueGeneration: count('Another one when all values of the column were replaced.'),
    nullFraction: Type.Number({ description: 'Share of NULL.', minimum: 0, maximum: 1 }),
    ...distinct,
    averageWidth: count('Bytes of a value that is not NULL.'),
    minimum: optional(
      Type.String({
        description:
          'The least value of the table, if `coverage` is `complete` or a key begins with the column; otherwise of the rows that were read.',
      }),
    ),
    maximum: optional(Type.String({ description: 'The greatest value, likewise.' })),
    mostCommonValues: many('The most common first, at most 32.', 'StatisticsMostCommonValue'),
  }),
  StatisticsColumnGroupSynopsis: closed('What it found in columns of a key together.', {
    columns: list('Schema ids.', count('A column.')),
    valueGenerations: list('Of each of them.', count('A generation.')),
    ...distinct,
    mostCommonValues: many('The most common first, at most 32.', 'StatisticsMostCommonColumnGroup'),
  }),
  StatisticsSynopsis: closed('What the last survey found in a table.', {
    table: count('Schema id of the table.'),
    observedRows: count('Rows that were read.'),
    coverage: oneOf(
      'complete: the survey read all rows. prefixLimit: it read part of them, from the whole table or the first keys.',
      ['complete', 'prefixLimit'],
    ),
    sampleSize: count('Rows that the numbers are from.'),
    changesSinceCollection: count('Rows written since, about.'),
    tableExistenceGeneration: count('Another one when a table of that id was made again.'),
    collectedAtUnixMicros: count('When, in microseconds since 1970.'),
    catalogVersion: count('Of the schema then.'),
    columns: many('By column.', 'StatisticsColumnSynopsis'),
    columnGroups: many(
      'Starts of the primary key and of indexes, foreign keys: of two to four columns.',
      'StatisticsColumnGroupSynopsis',
    ),
  }),
  StatisticsCorpusMaintenance: closed('What the store has of them, and what became of others.', {
    expiredExecutions: count('Records of executions that were too old.'),
    prunedExecutions: count(
      'Records that were too many, or of programs that were too large together.',
    ),
    invalidExecutions: count('Records that could not be read.'),
    prunedPrograms: count('Programs whose last record was gone.'),
    invalidPrograms: count('Programs that were not what they are called by.'),
    erasedExecutions: count('Records that somebody had erased.'),
    erasedPrograms: count('Programs that somebody had erased.'),
    retainedExecutions: count('Records: one for each program and minute that it ran in.'),
    retainedPrograms: count('Programs.'),
    retainedProgramBytes: count('Their bytes.'),
  }),
  StatisticsCorpus: closed('Programs that are kept for replay.', {
    enabled: Type.Boolean({ description: 'Whether this process keeps any.' }),
    captured: count('Programs that were kept.'),
    skippedOversize: count('Programs that were too large.'),
    droppedQueue: count('Programs for which the queue had no room.'),
    shedPending: count('Programs that could not wait any longer.'),
    maintenance: optional(ref('StatisticsCorpusMaintenance', 'Where this process keeps any.')),
  }),
  StatisticsRelay: closed('What processes tell each other of their executions.', {
    state: optional(
      oneOf('Of a reader that tells its writer: what became of the newest batch.', [
        'connected',
        'retrying',
        'losing',
        'idle',
      ]),
    ),
    sent: optional(count('Batches that the writer took.')),
    abandoned: optional(count('Batches given up because the writer could not be reached.')),
    rejected: optional(count('Batches that the writer refused for good.')),
    holding: optional(Type.Boolean({ description: 'Whether one waits to be sent again.' })),
    corpusSent: optional(count('Programs that were told, too.')),
    corpusWithheld: optional(count('Programs that were not, for want of verified TLS.')),
    received: count('Batches that were taken.'),
    receivedAlreadyApplied: count('Batches that had come before.'),
    receivedRejected: count('Batches of another format.'),
    receivedSaturated: count('Batches for which the queue had no room.'),
    receivedCorpusOversize: count('Batches with a program above 1 MiB.'),
    sources: count('Senders that are remembered.'),
    mergedObservations: count('Executions that were folded in.'),
    corpusAdopted: count('Programs that came this way.'),
    refusedStaleFamilies: count('Families of another catalog.'),
  }),
  StatisticsPhysicalCostMetric: closed('A measurement of all requests of a class.', {
    p50UpperBound: count('At most so much in half of them.'),
    p95UpperBound: count('At most so much in 95 of 100.'),
    maximumUpperBound: count('At most so much in all of them.'),
  }),
  StatisticsPhysicalRequestCost: closed('Requests of a class to the store.', {
    class: oneOf('What was asked.', [
      'read',
      'range_read',
      'metadata_read',
      'write',
      'delete',
      'list',
    ]),
    observedRequests: count('How many.'),
    errors: count('How many of them failed.'),
    latencyMicros: optional(physicalMetric('From the request to the end of its response.')),
    bytes: optional(physicalMetric('Bytes of the object that a successful request moved.')),
    sizeUpperBound: optional(count('A power of two: no request moved more bytes.')),
    concurrencyUpperBound: optional(count('A power of two: no more ran at the same time.')),
    serviceTier: optional(
      oneOf('The tier that served the requests.', ['memory', 'local', 'remote']),
    ),
  }),
  StatisticsPhysicalCacheCost: closed('A cache.', {
    tier: oneOf('Where it lies.', ['memory', 'local']),
    accesses: count('How often somebody looked.'),
    hits: count('How often it was there.'),
    hitRatePpm: count('The share of these, in millionths.'),
  }),
  StatisticsPhysicalTelemetryCapabilities: closed('What is measured of requests.', {
    requestLatency: Type.Boolean({ description: 'How long they take.' }),
    requestBytes: Type.Boolean({ description: 'How large they are.' }),
    requestConcurrency: Type.Boolean({ description: 'How many there are at a time.' }),
    cacheTiers: Type.Boolean({ description: 'What caches have.' }),
    accessLocality: Type.Boolean({ description: 'Where they are answered.' }),
  }),
  StatisticsPhysicalCost: closed('What the store costs this process.', {
    basis: Type.Literal('backend_physical_telemetry', {
      description: 'Always `backend_physical_telemetry`.',
    }),
    backend: oneOf('Where the store lies.', ['memory', 'file', 's3']),
    telemetryFormat: count('Of these numbers: 1.'),
    capabilities: ref('StatisticsPhysicalTelemetryCapabilities'),
    requests: many('Of remote stores, by class.', 'StatisticsPhysicalRequestCost'),
    caches: many('By tier.', 'StatisticsPhysicalCacheCost'),
  }),
  Statistics: closed('What the planner knows of programs and tables. It never changes an answer.', {
    absorbed: count('Executions that were folded into models.'),
    dropped: count('Executions for which the queue had no room.'),
    evicted: count('Models that were dropped to keep within bounds.'),
    shed: count('Executions whose evidence for plans found no room.'),
    corpus: ref('StatisticsCorpus'),
    relay: ref('StatisticsRelay'),
    trackedFamilies: count('Families with a model.'),
    models: many('The most measured first.', 'StatisticsModel'),
    synopses: many('By table.', 'StatisticsSynopsis'),
    physicalCost: optional(ref('StatisticsPhysicalCost')),
  }),
};
