/** The answers to schemas that cannot be had: a broken file, a difference that no migration makes, a migration that may not be made now. */

import { type Catalog, schemaHash } from '#catalog';
import { type DatabaseError, type Finding, fail, type Reason } from '#failure';
import type { MigrationPlan } from './diff/plan.ts';
import { type Diagnostic, diagnosticLine } from './file/diagnostic.ts';
import type { ParsedSchema } from './file/parse.ts';
import type { SchemaFinding } from './finding.ts';
import type { Preflight } from './preflight/preflight.ts';

/** The catalog of a file that is whole. */
export function requireSchema(parsed: ParsedSchema): Catalog {
  if (parsed.kind === 'schema') return parsed.catalog;
  const lines = parsed.errors.map((error: Diagnostic) => diagnosticLine(parsed.source, error));
  throw refusal('invalid', lines);
}

export function requirePossible({ difference: { rejections } }: MigrationPlan): void {
  if (rejections.length > 0) throw refusal('invalid', rejections);
}

/** All of them stand in `errors`; the first, and how many follow, in the detail. */
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
  readonly acceptDataLoss: boolean;
  /** The losses that are accepted then; absent: all. */
  readonly acceptedLosses?: readonly Loss[] | undefined;
}

/** Which loss a finding is about. */
interface Loss {
  readonly kind: string;
  readonly table?: string;
  readonly column?: string;
}

/** Whether the plan may be carried out for this request (docs/migrations.md, steps 3 to 5). */
export function requireAllowed(
  current: Catalog,
  desired: Catalog,
  plan: MigrationPlan,
  findings: Preflight,
  request: MigrateRequest,
): void {
  const blocking = [...plan.blocking, ...findings.blocking];
  const isMeant =
    request.currentVersion === current.version && request.currentHash === schemaHash(current);
  if (!isMeant && !isRepeated(current, desired, plan, blocking)) {
    throw fail(
      'serializable_conflict',
      `schema changed since preflight: expected version ${request.currentVersion} with ${request.currentHash}, the database is at version ${current.version} with ${schemaHash(current)}; compare again, with POST /schema/diff, and send what that answers: the same request again would be refused for ever`,
    );
  }
  if (blocking.length > 0) {
    throw refusal('constraint_violation', summaries(blocking), 'migration target is invalid: ');
  }
  const losses = findings.destructive.filter((loss) => !isAccepted(loss, request));
  if (losses.length === 0) return;
  const isAsked = request.acceptDataLoss && request.acceptedLosses !== undefined;
  const more = isAsked
    ? 'more data would be lost than was agreed to, compare again'
    : lossAdvice(request);
  throw refusal('schema_data_loss_acceptance_required', summaries(losses), `${more}: `);
}

/** A list alone agrees to nothing: it only narrows what `accept_data_loss` allows. */
function lossAdvice({ acceptedLosses }: MigrateRequest): string {
  const advice = 'data would be lost, send accept_data_loss to allow it';
  return acceptedLosses === undefined ? advice : `${advice}, beside accepted_losses`;
}

function isAccepted(loss: Loss, { acceptDataLoss, acceptedLosses }: MigrateRequest): boolean {
  if (!acceptDataLoss || acceptedLosses === undefined) return acceptDataLoss;
  return acceptedLosses.some(
    ({ kind, table, column }) =>
      kind === loss.kind && table === loss.table && column === loss.column,
  );
}

/** A request whose answer was lost: all of it has happened, or is happening. */
function isRepeated(
  current: Catalog,
  desired: Catalog,
  plan: MigrationPlan,
  blocking: readonly SchemaFinding[],
): boolean {
  if (blocking.length > 0 || plan.program.statements.length > 0) return false;
  return schemaHash(current) === schemaHash(desired) || plan.matched.size > 0;
}

function summaries(findings: readonly SchemaFinding[]): readonly string[] {
  return findings.map(({ summary }) => summary);
}
