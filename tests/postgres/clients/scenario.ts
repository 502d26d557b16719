/** Scenarios of one client. Each runs on PostgreSQL 15, which proves its expectations, and on svc. */

import { afterAll, beforeAll, describe, test } from 'bun:test';
import { serveOptions } from '../../../src/cli/serve/serve-flags.ts';
import { hasPostgres } from '../../sql/differential/postgres-server.ts';
import { type SqlServer, serveReference, serveSvc } from '../support/serve.ts';
import { type TableName, tableStatements } from './tables.ts';

export interface Scenario {
  readonly name: string;
  /** Tables that exist, with the rows of `tables.ts`. */
  readonly tables?: readonly TableName[];
  /** The feature that svc does not have yet, with the step of `issues/32` that builds it. svc must refuse such a scenario with an error. */
  readonly later?: string;
  run(server: SqlServer): Promise<void>;
}

/** Time within which a scenario that svc refuses must end. */
const refusalMs = 10_000;

/** Whether `svc serve` has the flag `--frontend`. */
const isServed = serveOptions.some(({ long }) => long === '--frontend');

const isReferenceHere = hasPostgres('the expectations of SQL clients on PostgreSQL 15');

/** Declares the tests of a client: `isHere` is false if the client is not installed. */
export function testScenarios(client: string, scenarios: readonly Scenario[], isHere = true): void {
  for (const [kind, serve] of [
    ['postgres', serveReference],
    ['svc', serveSvc],
  ] as const) {
    const isSkipped = !isHere || !(kind === 'postgres' ? isReferenceHere : isServed);
    describe.skipIf(isSkipped)(`${client} on ${kind}`, () => {
      let server: SqlServer;
      beforeAll(async () => {
        server = await serve();
      });
      afterAll(() => server[Symbol.asyncDispose]());
      for (const scenario of scenarios) {
        const { name, later } = scenario;
        if (kind === 'svc' && later !== undefined) {
          test(`refuses, until ${later}: ${name}`, () => refused(scenario, server));
        } else {
          test(name, () => performed(scenario, server));
        }
      }
    });
  }
}

async function performed(scenario: Scenario, server: SqlServer): Promise<void> {
  await server.prepare(tableStatements(scenario.tables ?? []));
  await scenario.run(server);
}

/** The end of a scenario must be an error of the server, neither success nor a wrong answer. */
async function refused(scenario: Scenario, server: SqlServer): Promise<void> {
  const cause = await within(refusalMs, performed(scenario, server)).catch(
    (reason: unknown) => reason ?? new Error('rejected without a reason'),
  );
  if (cause === undefined) throw new Error(`svc passes: remove "later" of "${scenario.name}"`);
  if (sqlstateOf(cause) === undefined) throw cause;
}

async function within(ms: number, done: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end within ${ms} ms`)), ms);
  try {
    await Promise.race([done, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the SQLSTATE of an error of a client, or of an error that it wraps. */
export function sqlstateOf(cause: unknown): string | undefined {
  for (let error = cause; typeof error === 'object' && error !== null; ) {
    const { code, cause: inner } = error as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return code;
    error = inner;
  }
  return undefined;
}
