/** The features that a program must support to open the database. */

import { invariant, isPending, type Steps } from '#base';
import { decodeIdentity, encodeIdentity, type Feature, identityKey } from '#catalog';
import type { Transaction } from '#storage';

/**
 * Adds a feature to the identity record. The record is read within the transaction, so that of two commits which add a feature at the same time, one has a
 * conflict.
 */
export function* needSteps(transaction: Transaction, feature: Feature): Steps<void> {
  let found = transaction.get(identityKey);
  while (isPending(found)) {
    yield found;
    found = transaction.get(identityKey);
  }
  invariant(found !== undefined, 'a database has an identity');
  const { needs = [], ...identity } = decodeIdentity(found);
  if (needs.includes(feature)) return;
  transaction.put(identityKey, encodeIdentity({ ...identity, needs: [...needs, feature] }));
}
