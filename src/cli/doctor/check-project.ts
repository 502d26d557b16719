/** The checks of a project. Each relies on the checks before it, and a check that is no longer possible is omitted. */

import { isTerminal, type SchemaApi, type SchemaState, ServerProblem } from '#client';
import { reportedErrorOf } from '../frame/reported-error.ts';
import type { Shell } from '../frame/shell.ts';
import type { AcceptedSchema } from '../project/accepted.ts';
import { openProject, type Project, type ProjectFlags } from '../project/open-project.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import {
  catalogOf,
  type ProjectSchemaState,
  schemaStateOf,
  takenBackFrom,
} from '../project/schema-state.ts';
import type { Check } from './report-checks.ts';

type Verdict = Pick<Check, 'status' | 'message'> & { readonly details?: object };

export async function checkProject(shell: Shell, flags: ProjectFlags): Promise<readonly Check[]> {
  const checks: Check[] = [];
  /** Runs `look` and adds its verdict. A thrown error is a failed check. Returns the result of `look`, if there is one. */
  const check = async <T>(
    name: string,
    look: () => Promise<readonly [T, Verdict]> | readonly [T, Verdict],
  ): Promise<T | undefined> => {
    try {
      const [found, { details = {}, ...verdict }] = await look();
      checks.push({ name, ...verdict, details });
      return found;
    } catch (error) {
      const { message = String(error), hint } = reportedErrorOf(error) ?? {};
      const remedy = hint === undefined ? '' : `; ${hint}`;
      checks.push({ name, status: 'fail', message: message + remedy, details: {} });
      return undefined;
    }
  };

  const project = await check('configuration', () => {
    const opened = openProject({ ...shell, say: () => {} }, flags);
    const { environment, url } = opened.database;
    return [opened, pass(environment === undefined ? url : `${environment}: ${url}`)];
  });
  if (project === undefined) return checks;
  const desired = await check('desired-schema', () => desiredSchema(project));
  const accepted = await check('accepted-state', () => acceptedState(project));
  const { api } = project;
  const isUp = await check('server', async () => [
    await api.health(),
    pass(`responds at ${api.origin}`),
  ]);
  if (isUp === undefined) return checks;
  await check('server-health', () => [
    true,
    pass(`${isUp.status}, ${isUp.access}, ${isUp.mode} mode`),
  ]);
  const server = await check('server-schema', async () => {
    const state = await api.schema();
    return [state, pass(`version ${state.schema_version}`)];
  });
  const isKnown =
    server === undefined ||
    (await check('schema-identity', () => identity(project, server, { accepted, desired }))) !==
      'unknown';
  if (desired !== undefined && isKnown) await check('schema-diff', () => differences(api, desired));
  await check('transitions', () => transitions(api));
  return checks;
}

function desiredSchema(project: Project): readonly [DesiredSchema, Verdict] {
  const schema = project.readSchema();
  const { warnings } = schema;
  if (warnings.length === 0) return [schema, pass(`${project.schemaShown} is valid`)];
  const count = warnings.length === 1 ? 'one warning' : `${warnings.length} warnings`;
  return [
    schema,
    {
      status: 'warning',
      message: `valid, with ${count}: \`svc validate ${project.schemaShown}\` shows ${warnings.length === 1 ? 'it' : 'them'}`,
      details: { warnings },
    },
  ];
}

function acceptedState(project: Project): readonly [AcceptedSchema | undefined, Verdict] {
  const accepted = project.accepted.newest();
  if (accepted !== undefined)
    return [accepted, pass('the newest schema matches the hash in its name')];
  return [
    undefined,
    warning(
      `no schema has been accepted yet; run \`${project.suggest('schema migrate')}\` or \`${project.suggest('schema pull')}\``,
    ),
  ];
}

interface ProjectFacts {
  readonly accepted: AcceptedSchema | undefined;
  readonly desired: DesiredSchema | undefined;
}

async function identity(
  project: Project,
  server: SchemaState,
  { accepted, desired }: ProjectFacts,
): Promise<readonly ['none' | 'known' | 'unknown', Verdict]> {
  if (accepted === undefined) return ['none', warning('there is no accepted schema to compare')];
  const { schema_version: version, schema_hash: hash } = server;
  const databaseId = await identityOf(project.api);
  const state = { databaseId, version, hash, catalog: catalogOf(server) };
  const standing = schemaStateOf(project, state, desired?.hash);
  if (standing !== 'unknown') return ['known', pass(standingTexts[standing])];
  const isBack = takenBackFrom(project, state) !== undefined;
  const message = isBack
    ? `the database was reverted to an earlier schema, and the project has not recorded its version ${version}`
    : `the project has not recorded version ${version} of the database`;
  return [
    'unknown',
    { status: 'fail', message: `${message}; see \`${project.suggest('schema status')}\`` },
  ];
}

/** Messages by schema state. `status` and `migrate` use the same states, so a schema that they accept passes here too. */
const standingTexts: Readonly<Record<Exclude<ProjectSchemaState, 'unknown'>, string>> = {
  empty: 'the database is empty',
  desired: 'the database has the schema of the file',
  accepted: 'the project has accepted the schema of the database',
  under_way: 'a migration of this project is under way',
};

/** Returns the id of the database, or `undefined` if the server does not report one. */
async function identityOf(api: SchemaApi): Promise<string | undefined> {
  try {
    return (await api.info()).database_id;
  } catch (error) {
    if (error instanceof ServerProblem) return undefined;
    throw error;
  }
}

async function differences(
  api: SchemaApi,
  desired: DesiredSchema,
): Promise<readonly [boolean, Verdict]> {
  const { changes, blocking } = await api.diff(desired.text);
  if (blocking.length > 0) {
    const message = blocking.map(({ summary }) => summary).join('; ');
    return [false, { status: 'fail', message, details: { blocking } }];
  }
  if (changes.length === 0) return [true, pass('no unapplied changes')];
  return [
    true,
    {
      ...warning(
        changes.length === 1 ? 'one unapplied change' : `${changes.length} unapplied changes`,
      ),
      details: { changes },
    },
  ];
}

async function transitions(api: SchemaApi): Promise<readonly [boolean, Verdict]> {
  const all = await api.transitions();
  const gated = all.filter((it) => !isTerminal(it) && it.retained_work_state === 'write_gated');
  const active = all.filter((it) => !isTerminal(it));
  const failed = all.filter(({ state }) => state === 'failed');
  const ids = (of: typeof all) => of.map((it) => it.transition_id).join(', ');
  if (gated.length > 0) {
    return [false, { status: 'fail', message: `blocking writes: ${ids(gated)}` }];
  }
  if (failed.length > 0) return [true, warning(`failed: ${ids(failed)}`)];
  if (active.length > 0) return [true, warning(`in progress: ${ids(active)}`)];
  return [true, pass('none in progress')];
}

function pass(message: string): Verdict {
  return { status: 'pass', message };
}

function warning(message: string): Verdict {
  return { status: 'warning', message };
}
