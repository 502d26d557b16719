/** Identifies a program by its text without literals. */

import type { Steps, YieldPolicy } from '#base';
import { isMutation, type Program, programFamilyText } from '#pir';
import { encodeText } from '#value';

export interface ProgramIdentity {
  readonly statements: readonly StatementIdentity[];
  /** Fingerprint of the family. Programs that differ only in literals have the same. */
  readonly fingerprint: string;
}

interface StatementIdentity {
  readonly name: string;
  readonly kind: string;
  readonly isMutation: boolean;
  /** Beginning of the statement in diagnostics, as JSON text. */
  readonly text: string;
  /** Fingerprint of the family, or `undefined` beyond the first `statementsMax` statements. */
  readonly fingerprint: string | undefined;
}

/** Maximum number of statements with a separate fingerprint. */
const statementsMax = 256;

/** Computes the identity of a checked program, and the text of its family. */
export function* identifySteps(
  program: Program,
  pace: YieldPolicy,
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
