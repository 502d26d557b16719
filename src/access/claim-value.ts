/** The values of claims as a policy declares them. */

import type { ClaimType, PolicyClaim } from '#catalog';
import { ByteString, parseIdentifier, parseInt64, type Scalar } from '#value';
import type { Claims } from './claims.ts';

/** Returns the value of a claim: NULL if the claim is absent or has another type than the policies declare. */
export function claimValue(claims: Claims, { name, type }: PolicyClaim): Scalar {
  const given = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (type === 'text') return typeof given === 'string' && given.isWellFormed() ? given : null;
  if (type === 'bool') return typeof given === 'boolean' ? given : null;
  if (type === 'float64') return typeof given === 'number' && Number.isFinite(given) ? given : null;
  return type === 'int64' ? integerOf(given) : identifierOf(type, given);
}

/** Returns a safe integer, or the number that a text of digits contains. */
function integerOf(given: Claims[string] | undefined): Scalar {
  if (typeof given === 'string') return parseInt64(given) ?? null;
  // Adding 0 makes 0 of -0, which is not an int64.
  return typeof given === 'number' && Number.isSafeInteger(given) ? given + 0 : null;
}

function identifierOf(
  format: Extract<ClaimType, 'uuid' | 'ulid' | 'xid'>,
  given: Claims[string] | undefined,
): Scalar {
  const bytes = typeof given === 'string' ? parseIdentifier(format, given) : undefined;
  return bytes === undefined ? null : new ByteString(bytes, format);
}
