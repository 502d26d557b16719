/** What is told of a program for its text alone, without its literals. */

import type { Pace, Steps } from '#base';
import { isMutation, type Program, programFamilyText } from '#pir';
import { encodeText } from '#value';

export interface ProgramIdentity {
  readonly statements: readonly StatementIdentity[];
  /** Of the family: what differs in literals alone has the same. */
  readonly fingerprint: string;
}

interface StatementIdentity {
  readonly name: string;
  readonly kind: string;
  readonly isMutation: boolean;
  /** The beginning of what diagnostics tell of it: JSON text. */
  readonly text: string;
  /** Of its family; undefined where so many come before that nobody tells of it. */
  readonly fingerprint: string | undefined;
}

/** Statements whose families are looked at one by one. */
const statementsMax = 256;

/** `program` is a checked one. */
export function* identifySteps(
  program: Program,
  pace: Pace,
): Steps<{ readonly identity: ProgramIdentity; readonly family: string }> {
  const family = yield* programFamilyText(program, pace);
  const statements: StatementIdentity[] = [];
  for (const statement of program.statements) {
    const { name, kind } = statement;
    let own: string | undefined;
    if (statements.length < statementsMax) {
      const alone = { statements: [statement] };
      own = fingerprint(yield* programFamilyText(alone, pace));
    }
    const text = `{"name":${encodeText(name)},"kind":"${kind}"`;
    statements.push({ name, kind, isMutation: isMutation(statement), text, fingerprint: own });
  }
  return { identity: { statements, fingerprint: fingerprint(family) }, family };
}

export function fingerprint(text: string): string {
  return `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`;
}
