/** `svc explain`: shows the plan of a program as a tree, with `--analyze` together with the measurements of its operators (docs/explain.md). */

import { type Explained, explainedIn, ProgramApi, ServerProblem } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { printResult, printText } from '../frame/output.ts';
import { paintOutput } from '../frame/paint.ts';
import type { Shell } from '../frame/shell.ts';
import { anyServer } from '../project/any-server.ts';
import { databaseCommand } from '../project/project-options.ts';
import { type ProgramInput, readProgram } from './program-input.ts';
import { reportFacts, reportLines, reportOf } from './report.ts';

/** Width of the output without a terminal. */
const plainColumns = 120;
/** A narrower terminal breaks lines itself. */
const columnsMin = 20;

export function explainCommand(shell: Shell) {
  return databaseCommand('explain')
    .description(
      'Show the query plan of a program as a tree; with --analyze, run a read-only program and measure it. The command never writes data.',
    )
    .argument('<file>', 'a program (PIR) or a query (LIR) in JSON; - for stdin')
    .option('--analyze', 'run the program and show rows, times and wrong estimates')
    .action(async (file, { analyze = false, ...flags }) => {
      const { url, connection } = anyServer(shell, flags);
      const program = await readProgram(file);
      const programs = new ProgramApi(connection);
      if (!analyze)
        return show(shell, { url, program, hasRun: false }, await programs.plan(program.text));
      refuseWrites(program.statements);
      try {
        const explained = await analyzed(shell, programs, program);
        show(shell, { url, program, hasRun: explained.diagnostics !== undefined }, explained);
      } catch (error) {
        // The work until the failure usually shows its cause. In JSON, the problem document contains it.
        if (error instanceof ServerProblem && shell.mode === 'text') {
          const explained = explainedIn(error.problem);
          if (explained.plan.statements.length > 0)
            show(shell, { url, program, hasRun: true }, explained);
        }
        throw error;
      }
    });
}

interface Shown {
  readonly url: string;
  readonly program: ProgramInput;
  readonly hasRun: boolean;
}

function show(shell: Shell, { url, program, hasRun }: Shown, explained: Explained): void {
  const report = reportOf(explained, program.statements, hasRun);
  if (shell.mode === 'json') printResult(shell, { database: url, ...reportFacts(report) }, '');
  else {
    const columns = Math.max(columnsMin, process.stdout.columns || plainColumns);
    printText(reportLines(report, columns, paintOutput).join('\n'));
  }
}

/** Rejects programs that write. Only execution can measure a program, and its writes would persist. */
function refuseWrites(
  statements: readonly { readonly name: string; readonly kind: string }[],
): void {
  const writing = statements.find(({ kind }) => kind !== 'query');
  if (writing === undefined) return;
  throw new CommandFailure({
    code: 'would_write',
    message: `--analyze runs the program, and its statement "${writing.name}" (${writing.kind}) would write; nothing was run`,
    hint: 'show its plan without --analyze; to measure how it finds its rows, make its relation a query',
  });
}

const levels = ['detailed', 'summary'] as const;

/** Measures the program at the highest level that the server allows. If the server allows none, it returns only the plan. */
async function analyzed(
  shell: Shell,
  programs: ProgramApi,
  { text, statements }: ProgramInput,
): Promise<Explained> {
  for (const level of levels) {
    try {
      // The server classifies the statements first. The program runs only if all of them are queries.
      const { diagnostics } = await programs.plan(text, level);
      refuseWrites(diagnostics?.statements ?? statements);
      const explained = await programs.run(text, level);
      if (level === 'summary') noteLess(shell, 'rows and times of operators are not shown');
      return explained;
    } catch (error) {
      if (!isTooMuch(error)) throw error;
    }
  }
  noteLess(shell, 'the program was not run, and this is its plan');
  const { plan } = await programs.plan(text);
  return { plan };
}

function isTooMuch(error: unknown): boolean {
  return error instanceof ServerProblem && error.problem.reason === 'diagnostics_rejected';
}

function noteLess(shell: Shell, what: string): void {
  shell.note(
    `warning: ${what}: the server does not permit more diagnostics; start it with \`svc serve --diagnostics detailed\``,
  );
}
