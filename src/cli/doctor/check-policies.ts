/** Checks the row policies of a running server: clients that policies restrict do not see a table without a policy. */

import { type SchemaApi, ServerProblem, Unreachable } from '#client';
import { RefusedOption } from '#server';
import type { Check } from './report-checks.ts';

interface PolicyCheckParts {
  /** Returns `undefined` without an access token. */
  readonly connect: () => Pick<SchemaApi, 'schema'> | undefined;
  readonly hasAuthentication: boolean;
}

/** Maximum number of tables in a message. */
const shownMax = 5;

const name = 'policies';
const noToken =
  'not checked: name the file of a key with the scope schema or admin in --access-token-file or SVC_ACCESS_TOKEN_FILE';

export async function checkPolicies(parts: PolicyCheckParts): Promise<Check> {
  const { connect, hasAuthentication } = parts;
  if (!hasAuthentication) return result('pass', 'without --auth, no row policy applies');
  try {
    const api = connect();
    if (api === undefined) return result('warning', noToken);
    return findingIn(await api.schema());
  } catch (error) {
    const isExpected = [Unreachable, ServerProblem, RefusedOption].some(
      (it) => error instanceof it,
    );
    if (!isExpected) throw error;
    return result('warning', `not checked: ${(error as Error).message}`);
  }
}

type State = Awaited<ReturnType<SchemaApi['schema']>>;

function findingIn({ schema, policies, policy_hash }: State): Check {
  if (policy_hash === undefined) return result('warning', noToken);
  if (policies === undefined) return result('pass', 'the database has no row policies');
  const { tables: known } = policies as { readonly tables: object };
  const without = schema.tables
    .map((table) => table.name)
    .filter((it) => !Object.hasOwn(known, it));
  const details = { without };
  if (without.length === 0) return result('pass', 'every table has a row policy', details);
  const more = without.length > shownMax ? ` and ${without.length - shownMax} more` : '';
  const names = `${without.slice(0, shownMax).join(', ')}${more}`;
  const message = `tables without a row policy: ${names}; only clients without restrictions see them`;
  return result('warning', message, details);
}

function result(status: Check['status'], message: string, details: object = {}): Check {
  return { name, status, message, details };
}
