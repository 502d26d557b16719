/** Visibility classes: principals of one class see the same tables, and share prepared programs and results. */

import { actions, type GrantedActions, type Grants, mergeGrants } from './grant.ts';

/** Whether row policies apply to a principal. */
export type PolicyMode = 'enforce' | 'bypass';

export interface Visibility {
  /** Identifies the class, as a part of cache keys. Empty for the class without restrictions. */
  readonly key: string;
  /** `undefined`: the class is not restricted to tables. */
  readonly grants: GrantedActions | undefined;
  readonly policies: PolicyMode;
}

/** The class of clients without authentication, and of principals with neither grants nor policies. */
export const unrestricted: Visibility = { key: '', grants: undefined, policies: 'bypass' };

const enforced: Visibility = { key: 'enforce', grants: undefined, policies: 'enforce' };

const keyLengthMax = 128;

/** Returns the class of principals with these grants. Grants that permit the same have the same class. */
export function visibilityOf(grants: Grants, policies: PolicyMode): Visibility {
  if (grants === undefined) return policies === 'enforce' ? enforced : unrestricted;
  const merged = mergeGrants(grants);
  const words = [...merged].map(
    ([table, held]) => `${table}:${actions.filter((action) => held.has(action))}`,
  );
  const mode = policies === 'enforce' ? 'enforce ' : '';
  return { key: `${mode}grants ${shortened(words.sort().join(' '))}`, grants: merged, policies };
}

/** Cache keys contain the key of the class, so a long one is replaced by its digest. */
function shortened(text: string): string {
  if (text.length <= keyLengthMax) return text;
  return `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`;
}
