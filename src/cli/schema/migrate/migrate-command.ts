/** `svc schema migrate`: migrates a database with a recorded schema to the schema of the file, after confirmation of destructive changes. */

import { statSync } from 'node:fs';
import { Option } from '@commander-js/extra-typings';
import { isSamePolicies } from '#catalog';
import type { SchemaDiff } from '#client';
import type { DesiredPolicies } from '#schema';
import { CommandFailure } from '../../frame/command-failure.ts';
import { requireYes } from '../../frame/consent.ts';
import { exitCodes } from '../../frame/exit-codes.ts';
import { printResult } from '../../frame/output.ts';
import { paintMessage } from '../../frame/paint.ts';
import type { Shell } from '../../frame/shell.ts';
import { clientsAfterChange } from '../../generate/after-change.ts';
import {
  type ComparedClient,
  clientLines,
  clientsMember,
} from '../../generate/generate-clients.ts';
import { openProject, type Project } from '../../project/open-project.ts';
import { generateOption, projectCommand } from '../../project/project-options.ts';
import type { DatabaseState } from '../../project/schema-state.ts';
import { type Comparison, compare, sidesOf } from '../compare.ts';
import { isAboutRows, printCancelHint, remediesFor } from '../remedies.ts';
import { diffText, findingLine } from '../show-diff.ts';
import { affectedKinds, affectedRows } from './affected-object.ts';
import { type Agreement, consent, openQuestions } from './consent.ts';
import { type Migrated, Migration } from './migration.ts';
import { type MigrationProgress, untilInterrupted } from './migration-progress.ts';
import { plannedChanges, planText } from './plan.ts';

export function migrateCommand(shell: Shell) {
  return projectCommand('migrate')
    .description(
      'Migrate the database to the schema file and wait until its online transitions finish.',
    )
    .option('--dry-run', 'print the plan with locks, rows to visit and an estimate; change nothing')
    .option('--accept-data-loss', 'confirm all data loss that the diff lists')
    .addOption(
      new Option(
        '--accept-changes <kind...>',
        'confirm changes that lose no data but can break running programs or undo the work of another developer',
      ).choices(affectedKinds),
    )
    .option('--adopt', 'replace a schema that this project has not recorded')
    .addOption(generateOption())
    .action(
      ({ dryRun = false, adopt = false, acceptDataLoss, acceptChanges, generate, ...flags }) => {
        const agreement = {
          acceptDataLoss: acceptDataLoss ?? false,
          acceptChanges: acceptChanges ?? [],
        };
        const how = { agreement, dryRun, adopts: adopt, generates: generate };
        return migrateProject(shell, () => openProject(shell, flags), how);
      },
    );
}

interface How {
  readonly agreement: Agreement;
  /** Shows the plan and changes nothing. */
  readonly dryRun: boolean;
  /** Replaces a schema that the project has not recorded. */
  readonly adopts: boolean;
  /** Whether the command also generates the clients. */
  readonly generates: boolean;
}

/** Migrates and prints the result. Throws an error that states the progress. */
export function migrateProject(shell: Shell, open: () => Project, how: How): Promise<void> {
  const { agreement, dryRun, adopts, generates } = how;
  return untilInterrupted(shell, async (course, signal) => {
    const project = open();
    // Errors in the configuration of the clients are reported before anything is changed.
    if (generates) project.config.targets();
    const comparison = await compared(shell, project, adopts);
    signal.throwIfAborted();
    if (dryRun) return showPlan(shell, comparison, agreement);
    const migrated = await migrate(shell, { ...comparison, course, signal }, agreement);
    const { hash } = comparison.desired;
    report(shell, migrated, generates ? clientsAfterChange(shell, project, hash) : []);
  });
}

/** Compares, and throws if no migration to the file is possible. */
async function compared(shell: Shell, project: Project, adopts: boolean): Promise<Comparison> {
  const comparison = await compare(shell, project, adopts);
  const { diff } = comparison;
  if (shell.mode === 'text') shell.say(diffText(diff, paintMessage));
  refuseImpossible(shell, project, diff);
  await printCancelHint(shell, project, diff);
  return comparison;
}

interface Interruptible extends Comparison {
  readonly course: MigrationProgress;
  readonly signal: AbortSignal;
}

async function migrate(
  shell: Shell,
  comparison: Interruptible,
  agreement: Agreement,
): Promise<Migrated> {
  const { project, state, diff, signal } = comparison;
  if (comparison.isUnknown) await consentToAdopt(shell, project, state);
  if (comparison.hasUnknownPolicies) await consentToReplacePolicies(shell, project);
  const touched = await affectedRows(project.api, sidesOf(comparison));
  const losses = await consent(shell, { diff, touched }, agreement);
  if (shell.isInteractive) refuseOtherFile(comparison);
  // After Ctrl-C, the command has already reported that nothing was sent.
  signal.throwIfAborted();
  return new Migration(shell, comparison).run(losses);
}

/** Throws if the file has changed since the question. A user can edit it before answering, but the answer applies only to the changes that were shown. */
function refuseOtherFile({ project, desired }: Comparison): void {
  // A pipe has already been read and cannot be read again.
  if (!statSync(project.schemaPath, { throwIfNoEntry: false })?.isFile()) return;
  const now = project.readSchema();
  if (now.hash === desired.hash && isSameRequest(now.policies, desired.policies)) return;
  throw new CommandFailure({
    code: 'schema_file_changed',
    message: `${project.schemaShown} changed after the question; nothing was changed`,
    exitCode: exitCodes.consent,
  });
}

async function showPlan(shell: Shell, comparison: Comparison, agreement: Agreement): Promise<void> {
  const { project, desired, state, diff } = comparison;
  const plan = await plannedChanges(project.api, diff, state.catalog, desired.catalog);
  const touched = await affectedRows(project.api, sidesOf(comparison));
  const questions = openQuestions({ diff, touched }, agreement);
  printResult(
    shell,
    {
      state: 'planned',
      schema_version: state.version,
      schema_hash: state.hash,
      desired_hash: desired.hash,
      plan: plan.map(({ estimateSeconds, ...change }) => ({
        ...change,
        estimate_seconds: Math.ceil(estimateSeconds),
      })),
      destructive: diff.destructive,
      needs: questions.map(({ flag }) => flag),
    },
    [
      planText(plan),
      ...questions.map(({ text, flag }) => `requires confirmation: ${text} (${flag})`),
    ].join('\n'),
  );
}

function refuseImpossible({ mode }: Shell, { suggest }: Project, { blocking }: SchemaDiff): void {
  if (blocking.length === 0) return;
  throw new CommandFailure({
    code: 'migration_blocked',
    // In text mode, the diff above has already listed the obstacles.
    message:
      mode === 'text'
        ? `the migration cannot be applied ${isAboutRows(blocking) ? 'to the current rows' : 'in the current state'}`
        : blocking.map(findingLine).join('\n'),
    hint: ['nothing was changed', ...remediesFor(blocking, suggest)].join('\n'),
    exitCode: exitCodes.blocked,
    details: { blocking },
  });
}

function isSameRequest(left: DesiredPolicies, right: DesiredPolicies): boolean {
  if (typeof left === 'string' || typeof right === 'string') return left === right;
  return isSamePolicies(left, right);
}

async function consentToReplacePolicies(shell: Shell, project: Project): Promise<void> {
  const what = `the row policies of ${project.database.url}, which this project has not recorded`;
  if (shell.isInteractive) await requireYes(shell, `Replace ${what}?`, 'migration_cancelled');
  else shell.note(`replacing ${what}`);
}

async function consentToAdopt(shell: Shell, project: Project, state: DatabaseState): Promise<void> {
  const what = `version ${state.version} of ${project.database.url}, which this project has not recorded`;
  if (shell.isInteractive) await requireYes(shell, `Adopt ${what}?`, 'migration_cancelled');
  else shell.note(`adopting ${what}`);
}

function report(
  shell: Shell,
  { result, version, accepted }: Migrated,
  clients: readonly ComparedClient[],
): void {
  printResult(
    shell,
    {
      state: 'ready',
      schema_version: version,
      schema_hash: result.desired_hash,
      changes: result.changes,
      transition_ids: result.transition_ids,
      accepted,
      ...clientsMember(clients),
    },
    [`ready  version ${version}`, ...clientLines(clients)].join('\n'),
  );
}
