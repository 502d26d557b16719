/** The policies of a database in a project. Policies that the project has not recorded are not replaced. */

import { type Catalog, isSamePolicies, type Policies, policyHash } from '#catalog';
import type { SchemaState } from '#client';
import { type DesiredPolicies, parseSchema, renderSchema } from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { Project } from './open-project.ts';

export interface DatabasePolicies {
  /** `undefined` if the database has none. */
  readonly policies: Policies | undefined;
  /** `undefined` if the server does not report it: it has an earlier version. */
  readonly policyHash: string | undefined;
}

/** Converts a response to policies by the ids of `catalog`, and checks them against the hash in the response. */
export function policiesOf(
  { policies: document, policy_hash: hash }: SchemaState,
  catalog: Catalog,
): DatabasePolicies {
  if (hash === undefined) return { policies: undefined, policyHash: undefined };
  const section = document === undefined ? 'none' : JSON.stringify(document);
  const parsed = parseSchema(`${renderSchema(catalog)}policies: ${section}\n`, 'policies');
  if (parsed.kind === 'schema' && parsed.policies !== 'absent') {
    const policies = parsed.policies === 'none' ? undefined : parsed.policies;
    if (hashOfPolicies(catalog, policies) === hash) return { policies, policyHash: hash };
  }
  throw new CommandFailure({
    code: 'schema_unreadable',
    message: 'the policies in the response of the server do not match their hash',
    hint: 'the server may have another version than this command',
  });
}

export function hashOfPolicies(catalog: Catalog, policies: Policies | undefined): string {
  const { policies: _, ...others } = catalog;
  return policyHash(policies === undefined ? others : { ...others, policies });
}

/** Returns the policies that a file requests; `undefined` if it requests that there are none. */
export function requestedPolicies(policies: Policies | 'none'): Policies | undefined {
  return policies === 'none' ? undefined : policies;
}

/**
 * `same`: the file requests no change. `recorded`: the file requests a change, and the project has recorded the policies of the database. `unknown`: the
 * project has not recorded them.
 */
export type PolicyStanding = 'same' | 'recorded' | 'unknown';

export function policyStandingOf(
  { policies: accepted }: Pick<Project, 'policies'>,
  { policies: current, policyHash }: DatabasePolicies,
  desired: DesiredPolicies,
): PolicyStanding {
  if (desired === 'absent' || policyHash === undefined) return 'same';
  if (isSamePolicies(requestedPolicies(desired), current)) return 'same';
  return current === undefined || accepted.has(policyHash) ? 'recorded' : 'unknown';
}

export function unknownPolicies(
  { database, suggest }: Project,
  { policyHash }: DatabasePolicies,
): CommandFailure {
  const adopt = suggest('schema migrate --adopt');
  const pull = suggest('schema pull').padEnd(adopt.length);
  return new CommandFailure({
    code: 'policies_unknown',
    message: `${database.url} has row policies that this project has not recorded, and the schema file would replace them`,
    hint: [
      'Nothing was changed. Use one of',
      `  ${pull}  to import these policies into the schema file`,
      `  ${adopt}  to replace them by those of the schema file`,
    ].join('\n'),
    exitCode: exitCodes.conflict,
    details: { database_url: database.url, policy_hash: policyHash },
  });
}
