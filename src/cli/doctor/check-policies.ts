/** Checks the row policies of a running server: clients that policies restrict do not see a table without a policy. */

import type { SchemaApi } from '#client';
import type { Check } from './report-checks.ts';
import { finding, serverCheck } from './server-check.ts';

interface PolicyCheckParts {
  /** Returns `undefined` without an access token. */
  readonly connect: () => Pick<SchemaApi, 'schema'> | undefined;
  readonly hasAuthentication: boolean;
}

/** Maximum number of tables in a message. */
const shownMax = 5;

const noToken =
  'not checked: name the file of a key with the scope schema or admin in --access-token-file or SVC_ACCESS_TOKEN_FILE';

export function checkPolicies({ connect, hasAuthentication }: PolicyCheckParts): Promise<Check> {
  return serverCheck('policies', async () => {
    if (!hasAuthentication) return finding('pass', 'without --auth, no row policy applies');
    const api = connect();
    return api === undefined ? finding('warning', noToken) : findingIn(await api.schema());
  });
}

type State = Awaited<ReturnType<SchemaApi['schema']>>;

function findingIn({ schema, policies, policy_hash }: State): ReturnType<typeof finding> {
  if (policy_hash === undefined) return finding('warning', noToken);
  if (policies === undefined) return finding('pass', 'the database has no row policies');
  const { tables: known } = policies as { readonly tables: object };
  const without = schema.tables
    .map((table) => table.name)
    .filter((it) => !Object.hasOwn(known, it));
  const details = { without };
  if (without.length === 0) return finding('pass', 'every table has a row policy', details);
  const more = without.length > shownMax ? ` and ${without.length - shownMax} more` : '';
  const names = `${without.slice(0, shownMax).join(', ')}${more}`;
  const message = `tables without a row policy: ${names}; only clients without restrictions see them`;
  return finding('warning', message, details);
}
