/** `svc schema check`: reports whether `svc schema migrate` would succeed without a confirmation, for pipelines. The command changes nothing. */

import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { openProject } from '../project/open-project.ts';
import { projectCommand } from '../project/project-options.ts';
import { compare, sidesOf } from './compare.ts';
import { affectedRows } from './migrate/affected-object.ts';
import { openQuestions, waysAround } from './migrate/consent.ts';
import { printCancelHint, remediesFor } from './remedies.ts';
import { findingLine } from './show-diff.ts';

const nothingAgreed = { acceptDataLoss: false, acceptChanges: [] };

export function checkCommand(shell: Shell) {
  return projectCommand('check')
    .description('Check whether a migration would succeed without a confirmation (for pipelines).')
    .action(async (flags) => {
      const project = openProject(shell, flags);
      const comparison = await compare(shell, project);
      const { state, diff } = comparison;
      if (diff.blocking.length > 0) {
        const lines = diff.blocking.map(findingLine);
        const hint = remediesFor(diff.blocking, project.suggest).join('\n');
        throw failure(
          'migration_blocked',
          exitCodes.blocked,
          lines,
          { blocking: diff.blocking },
          hint,
        );
      }
      const touched = await affectedRows(project.api, sidesOf(comparison));
      const questions = openQuestions({ diff, touched }, nothingAgreed);
      if (questions.length > 0) {
        const lines = questions.map(({ text, flag }) => `${text} (${flag})`);
        const flags = [...new Set(questions.map(({ flag }) => flag))];
        const details = { destructive: diff.destructive, flags };
        const [hint] = waysAround(questions);
        throw failure('confirmation_required', exitCodes.consent, lines, details, hint);
      }
      await printCancelHint(shell, project, diff);
      const { changes } = diff;
      const { version: schema_version, hash: schema_hash } = state;
      printResult(
        shell,
        { state: 'clear', schema_version, schema_hash, changes },
        changes.length === 0
          ? `clear  nothing to migrate, version ${schema_version}`
          : ['clear', ...changes.map(({ summary }) => `- ${summary}`)].join('\n'),
      );
    });
}

function failure(
  code: string,
  exitCode: 4 | 5,
  lines: readonly string[],
  details: object,
  hint?: string,
): CommandFailure {
  const message = lines.join('\n');
  return new CommandFailure({ code, message, exitCode, details, hint });
}
