/** What the log is told of programs that are done: what they were and did, never a literal, a key or a value of theirs. */

import { finishSteps, unpaced } from '#base';
import { identifySteps, type ProgramIdentity } from '#engine';
import { programOfQuery } from '#pir';
import { shortJsonLength } from '#value';
import { checkProgramSteps, checkQuerySteps } from '#wire';
import { parseBody } from '../edge/body.ts';

export interface ProgramReport {
  readonly requestId: string;
  readonly transactionId: string;
  /** Of a request that is traced. */
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly clientAddress: string | undefined;
  /** Identity of the principal; undefined for an open one, which its address tells. */
  readonly principal: string | undefined;
  /** As the client calls itself (`x-svc-application-name`). */
  readonly application: string | undefined;
  readonly durationMs: number;
  readonly isDry: boolean;
  readonly statements: number;
  readonly resultRows: number;
  readonly affectedRows: number;
  /** Of the problem; undefined where all went well. */
  readonly errorReason: string | undefined;
  readonly errorKind: string | undefined;
  /** By statement, as far as they came. */
  readonly affected: readonly { readonly affected: number }[];
}

/** What a program is, without its literals; undefined where it cannot be understood, or is too large for that. */
interface ProgramFamily {
  readonly identity: ProgramIdentity;
  readonly text: string | undefined;
}

export interface ProgramLog {
  /** Whether it is told of all programs. */
  readonly isOfAll: boolean;
  /** Programs that take as long are slow; Infinity: none is. */
  readonly slowMs: number;
  executed(report: ProgramReport, identity: ProgramIdentity | undefined): void;
  slow(report: ProgramReport, family: () => ProgramFamily | undefined): void;
  /** Of a request that wants to know what its program does: the document without the program. */
  diagnosed(requestId: string, document: () => string): void;
}

const applicationLengthMax = 64;

/** Undefined without the header. */
export function applicationOf(headers: Headers): string | undefined {
  const given = headers.get('x-svc-application-name');
  return given?.replace(/[^\x20-\x7e]/g, '?').slice(0, applicationLengthMax);
}

/** Reads a program once more, in one go: a few milliseconds at most. */
export function familyOfBody(
  parsing: Parameters<typeof parseBody>[0],
  body: string,
  isQuery: boolean,
): ProgramFamily | undefined {
  if (body.length > shortJsonLength) return undefined;
  try {
    const document = parseBody(parsing, body, unpaced);
    const program = isQuery
      ? programOfQuery(finishSteps(checkQuerySteps(document, unpaced)))
      : finishSteps(checkProgramSteps(document, unpaced));
    const { identity, family } = finishSteps(identifySteps(program, unpaced));
    return { identity, text: family };
  } catch {
    // What could not be run may not be a program at all.
    return undefined;
  }
}
