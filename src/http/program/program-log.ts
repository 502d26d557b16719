/**
 * The data that the log receives about finished programs: their identity and their figures, never a literal, a key or a
 * value.
 */

import { neverYield, runWithoutWaiting } from '#base';
import { identifySteps, type ProgramIdentity } from '#engine';
import { programOfQuery } from '#pir';
import { shortJsonLength } from '#value';
import { checkProgramSteps, checkQuerySteps } from '#wire';
import { parseBody } from '../edge/body.ts';

export interface ProgramReport {
  readonly requestId: string;
  readonly transactionId: string;
  /** Trace of the request, if it is traced. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly clientAddress: string | undefined;
  /** ID of the principal, or `undefined` for an open principal, which has only an address. */
  readonly principal: string | undefined;
  /** Name of the client, from the header `x-svc-application-name`. */
  readonly application: string | undefined;
  readonly durationMs: number;
  readonly isDry: boolean;
  readonly statements: number;
  readonly resultRows: number;
  readonly affectedRows: number;
  /** Reason of the problem, or `undefined` if the program succeeded. */
  readonly errorReason: string | undefined;
  readonly errorKind: string | undefined;
  /** Affected rows of the statements that finished. */
  readonly affected: readonly { readonly affected: number }[];
}

/** A program without its literals. */
interface ProgramFamily {
  readonly identity: ProgramIdentity;
  readonly text: string | undefined;
}

export interface ProgramLog {
  /** Whether all programs are logged. */
  readonly isOfAll: boolean;
  /** Programs that take at least this many milliseconds are slow. Infinity means that no program is. */
  readonly slowMs: number;
  executed(report: ProgramReport, identity: ProgramIdentity | undefined): void;
  slow(report: ProgramReport, family: () => ProgramFamily | undefined): void;
  /** Logs the diagnostics document of a request that asked for it, without the texts of the program. */
  diagnosed(requestId: string, document: () => string): void;
}

const applicationLengthMax = 64;

/** Returns the name that the client sent, or `undefined` without the header. */
export function applicationOf(headers: Headers): string | undefined {
  const given = headers.get('x-svc-application-name');
  return given?.replace(/[^\x20-\x7e]/g, '?').slice(0, applicationLengthMax);
}

/**
 * Parses a program again in one step, which takes at most a few milliseconds. Returns `undefined` if the body is too
 * long or is not a valid program.
 */
export function familyOfBody(
  parsing: Parameters<typeof parseBody>[0],
  body: string,
  isQuery: boolean,
): ProgramFamily | undefined {
  if (body.length > shortJsonLength) return undefined;
  try {
    const document = parseBody(parsing, body, neverYield);
    const program = isQuery
      ? programOfQuery(runWithoutWaiting(checkQuerySteps(document, neverYield)))
      : runWithoutWaiting(checkProgramSteps(document, neverYield));
    const { identity, family } = runWithoutWaiting(identifySteps(program, neverYield));
    return { identity, text: family };
  } catch {
    // A body that could not be executed may not be a program.
    return undefined;
  }
}
