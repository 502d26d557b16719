/** Errors for schemas that svc refuses: an invalid file, a difference that no migration can make, a migration that is not allowed now. */

import type { Steps, YieldPolicy } from '#base';
import { type Catalog, policyHash, schemaHash } from '#catalog';
import { type DatabaseError, type Finding, fail, type Reason } from '#failure';
import { type Diagnostic, diagnosticLine } from './file/diagnostic.ts';
import type { ParsedSchema } from './file/parse.ts';
import type { DiffFinding } from './finding.ts';
import type { DesiredPolicies } from './policy/desired-policies.ts';
import { policyErrors, type WholePlan } from './policy/policy-plan.ts';
import type { MigrationPreflight } from './preflight/preflight.ts';

/** The schema and the policies of a valid file. */
interface DesiredSchema {
  readonly catalog: Catalog;
  readonly policies: DesiredPolicies;
}

/** Returns the content of a valid file. Throws all errors of an invalid one. */
export function requireSchema(parsed: ParsedSchema): DesiredSchema {
  if (parsed.kind === 'schema') return parsed;
  const lines = parsed.errors.map((error: Diagnostic) => diagnosticLine(parsed.source, error));
  throw refusal('invalid', lines);
}

/** Throws unless the plan can be executed. Yields between the rules of policies according to `pace`. */
export function* requirePossible(plan: WholePlan, pace: YieldPolicy): Steps<void> {
  const rejections = [...plan.difference.rejections, ...(yield* policyErrors(plan, pace))];
  if (rejections.length > 0) throw refusal('invalid', rejections);
}

/** Returns an error with all details in `errors`. Its own detail contains the first one and the number of the others. */
function refusal(reason: Reason, details: readonly string[], prefix = ''): DatabaseError {
  const [first = '', ...others] = details;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const location = { pointer: '/body/schema' };
  const errors = details.map((detail): Finding => ({ reason, detail, location }));
  return fail(reason, `${prefix}${first}${more}`, {
    location,
    ...(errors.length > 1 && { errors }),
  });
}

export interface MigrateRequest {
  readonly currentVersion: number;
  readonly currentHash: string;
  /** The hash of the policies with which the desired ones were compared; any if absent. */
  readonly currentPolicyHash?: string | undefined;
  readonly acceptDataLoss: boolean;
  /** The losses that `acceptDataLoss` accepts; all if absent. */
  readonly acceptedLosses?: readonly Loss[] | undefined;
}

/** The identity of a loss. */
interface Loss {
  readonly kind: string;
  readonly table?: string;
  readonly column?: string;
}

/** Throws unless this request allows the plan (docs/migrations.md, steps 3 to 5). */
export function requireAllowed(
  current: Catalog,
  desired: Catalog,
  plan: WholePlan,
  findings: MigrationPreflight,
  request: MigrateRequest,
): void {
  const blocking = [...plan.blocking, ...findings.blocking];
  const isMeant =
    request.currentVersion === current.version && request.currentHash === schemaHash(current);
  if (!isMeant && !isRepeated(current, desired, plan, blocking)) {
    throw fail(
      'serializable_conflict',
      `schema changed since preflight: expected version ${request.currentVersion} with ${request.currentHash}, the database is at version ${current.version} with ${schemaHash(current)}; compare again with POST /schema/diff and send its result; the same request would always be refused`,
    );
  }
  const { currentPolicyHash = policyHash(current) } = request;
  if (currentPolicyHash !== policyHash(current) && !isRepeated(current, desired, plan, blocking)) {
    throw fail(
      'serializable_conflict',
      `row policies changed since preflight: expected ${currentPolicyHash}, the database has ${policyHash(current)}; compare again with POST /schema/diff and send its result; the same request would always be refused`,
    );
  }
  if (blocking.length > 0) {
    throw refusal('constraint_violation', summaries(blocking), 'migration target is invalid: ');
  }
  const losses = findings.destructive.filter((loss) => !isAccepted(loss, request));
  if (losses.length === 0) return;
  const isAsked = request.acceptDataLoss && request.acceptedLosses !== undefined;
  const more = isAsked
    ? 'more data would be lost than accepted_losses allows; compare again'
    : lossAdvice(request);
  throw refusal('schema_data_loss_acceptance_required', summaries(losses), `${more}: `);
}

/** Returns the remedy for unaccepted losses. A list of accepted losses alone accepts nothing: it only restricts `accept_data_loss`. */
function lossAdvice({ acceptedLosses }: MigrateRequest): string {
  const advice = 'data would be lost; send accept_data_loss to allow it';
  return acceptedLosses === undefined ? advice : `${advice}, in addition to accepted_losses`;
}

function isAccepted(loss: Loss, { acceptDataLoss, acceptedLosses }: MigrateRequest): boolean {
  if (!acceptDataLoss || acceptedLosses === undefined) return acceptDataLoss;
  return acceptedLosses.some(
    ({ kind, table, column }) =>
      kind === loss.kind && table === loss.table && column === loss.column,
  );
}

/** Returns whether the request repeats one whose response was lost: all of its work is done or in progress. */
function isRepeated(
  current: Catalog,
  desired: Catalog,
  plan: WholePlan,
  blocking: readonly DiffFinding[],
): boolean {
  if (blocking.length > 0 || plan.program.statements.length > 0) return false;
  if (plan.policies.isChanged) return false;
  return schemaHash(current) === schemaHash(desired) || plan.matched.size > 0;
}

function summaries(findings: readonly DiffFinding[]): readonly string[] {
  return findings.map(({ summary }) => summary);
}
