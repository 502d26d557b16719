/** The part of the interface that returns the plan of a program and the diagnostics of its execution. */

import type { Connection } from './connection.ts';
import type { ProgramDiagnostics, StatementView } from './plan-shapes.ts';

type MeasuringLevel = 'summary' | 'detailed';

export interface Explained {
  readonly plan: { readonly statements: readonly StatementView[] };
  /** Present only if diagnostics were requested. */
  readonly diagnostics?: ProgramDiagnostics;
}

/** The client's time limit. The server limits the duration of a measured program. */
const measuredMsMax = 3_600_000;

export class ProgramApi {
  private readonly connection: Connection;

  constructor(connection: Connection) {
    this.connection = connection;
  }

  /** Returns the plan without executing the program. `program` is JSON text. */
  plan(program: string, level?: MeasuringLevel): Promise<Explained> {
    return this.ask('/execute?show-plan=true&dry-run=true', program, level);
  }

  /** Executes the program, given as JSON text, and returns its plan with diagnostics. */
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

/** Reads the plan and the diagnostics from a response or a problem document. A missing plan becomes a plan without statements. */
export function explainedIn(answer: unknown): Explained {
  const { plan, _svc } = answer as {
    readonly plan?: Explained['plan'];
    readonly _svc?: { readonly diagnostics?: ProgramDiagnostics };
  };
  const diagnostics = _svc?.diagnostics;
  return { plan: plan ?? { statements: [] }, ...(diagnostics && { diagnostics }) };
}
