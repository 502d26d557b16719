/** The part of the interface that tells how a program would run, and how it has run. */

import type { Connection } from './connection.ts';
import type { ProgramDiagnostics, StatementView } from './plan-shapes.ts';

type MeasuringLevel = 'summary' | 'detailed';

export interface Explained {
  readonly plan: { readonly statements: readonly StatementView[] };
  /** Where it was asked for. */
  readonly diagnostics?: ProgramDiagnostics;
}

/** A program that is measured may take as long as the server lets it. */
const measuredMsMax = 3_600_000;

export class ProgramApi {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** What would be done; nothing runs. `program` is JSON text. */
  plan(program: string, level?: MeasuringLevel): Promise<Explained> {
    return this.ask('/execute?show-plan=true&dry-run=true', program, level);
  }

  /** Runs it. */
  run(program: string, level: MeasuringLevel): Promise<Explained> {
    return this.ask('/execute?show-plan=true', program, level);
  }

  private async ask(path: string, program: string, level?: MeasuringLevel): Promise<Explained> {
    const headers = level === undefined ? {} : { 'svc-diagnostics': level };
    const answer = await this.connection.send('POST', path, program, {
      headers,
      timeoutMs: measuredMsMax,
    });
    return explainedIn(answer);
  }
}

/** What an answer, or a problem, tells of its program. */
export function explainedIn(answer: unknown): Explained {
  const { plan, _svc } = answer as {
    readonly plan?: Explained['plan'];
    readonly _svc?: { readonly diagnostics?: ProgramDiagnostics };
  };
  const diagnostics = _svc?.diagnostics;
  return { plan: plan ?? { statements: [] }, ...(diagnostics && { diagnostics }) };
}
