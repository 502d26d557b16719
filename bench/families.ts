/**
 * `npm run families [-- --programs N] [-- --families N]`: runs a million programs of a thousand families through one engine, and prints what the collector of
 * statistics holds then, and whether its counters agree. Exit code 1 when they do not.
 */

import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { type Engine, openEngine, type PreparedProgram } from '#engine';
import { checkProgram } from '#wire';
import { createItems, itemTable } from './workload.ts';

const { values } = parseArgs({
  options: {
    programs: { type: 'string', default: '1000000' },
    families: { type: 'string', default: '1000' },
  },
});
const programs = Number(values.programs);
const families = Number(values.families);
const rows = 1_000;
const options = { showPlan: false, dryRun: false };
/** Between two turns of the event loop: timers run in between. */
const burst = 500;

const engine = await filled();
const prepared: PreparedProgram[] = [];
for (let family = 0; family < families; family++) prepared.push(await planned(family));
const before = memory();
const started = performance.now();
for (let done = 0; done < programs; done++) {
  await again(prepared[done % families] as PreparedProgram, done % rows);
  if (done % burst === 0) await new Promise<void>((resolve) => setImmediate(resolve));
}
const seconds = (performance.now() - started) / 1_000;
const after = memory();
const shown = JSON.parse((await engine.statisticsText()).join('')) as Readonly<
  Record<'absorbed' | 'dropped' | 'evicted' | 'shed' | 'trackedFamilies', number>
> & { readonly models: readonly { readonly retainedExecutions: number }[] };
const { absorbed, dropped, evicted, shed, trackedFamilies, models } = shown;
const retained = models.reduce((sum, model) => sum + model.retainedExecutions, 0);
console.log(`${programs} programs of ${families} families in ${seconds.toFixed(0)} s`);
console.log(`absorbed ${absorbed}, dropped ${dropped}, shed ${shed}, evicted ${evicted}`);
console.log(`models ${trackedFamilies}, executions in them ${retained}`);
console.log(`heap before ${before} MiB, after ${after} MiB`);
// The table, its rows and each family were programs as well; a change of the catalog is not told of.
const told = programs + families + 1;
const isConsistent =
  absorbed + dropped === told && (evicted > 0 ? retained <= absorbed : retained === absorbed);
console.log(
  isConsistent
    ? `consistent: absorbed + dropped = ${told}, all that were told of`
    : `NOT consistent: ${absorbed + dropped} of ${told}`,
);
await engine.close();
process.exit(isConsistent ? 0 : 1);

/** Of what is in use. */
function memory(): string {
  Bun.gc(true);
  return (process.memoryUsage().heapUsed / 2 ** 20).toFixed(1);
}

/** One row by its key; families differ in the name of a node. */
async function planned(family: number): Promise<PreparedProgram> {
  const left = { kind: 'col', scope: 's', column: 'id' };
  const right = { kind: 'lit', value: { type: 'int64', value: '1' } };
  const name = `f${family}`;
  const nodes = {
    s: { kind: 'scan', table: itemTable.name, scope: 's' },
    [name]: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
  };
  const relation = { nodes, root: { node: name, cardinality: 'exactly_one' } };
  const statements = [{ kind: 'query', name: 'q', relation }];
  const { prepared } = await engine.execute({
    program: () => checkProgram({ statements, result: 'q' }),
    ...options,
  });
  return prepared;
}

function unplanned(): never {
  throw new Error('the plan holds no more');
}

async function again(program: PreparedProgram, id: number): Promise<void> {
  const requestContext = engine.requestContext({});
  try {
    const known = { program, parameters: [id] };
    const response = await engine.execute({ program: unplanned, known }, requestContext);
    if (response.prepared !== program) throw new Error('the plan is not current any more');
  } finally {
    requestContext.close();
  }
}

async function filled(): Promise<Engine> {
  const made = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    tuning: {},
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'bench',
  });
  const create = { kind: 'create_table', name: 't', table: itemTable };
  await made.execute({ program: () => checkProgram({ statements: [create] }), ...options });
  await made.execute({ program: () => checkProgram(JSON.parse(createItems(0, rows))), ...options });
  return made;
}
