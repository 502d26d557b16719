/** The responses to requests without a valid token. All invalid tokens get the same one. */

import { type DatabaseError, fail, type Reason } from '#failure';

export interface Refusal {
  readonly kind: 'refused';
  /** The same object for all requests that are refused in this way: an error for each one would take longer than its check. */
  readonly error: DatabaseError;
}

function refusal(error: DatabaseError): Refusal {
  return { kind: 'refused', error };
}

export const missingToken = refusal(
  fail(
    'missing_token',
    'the request has no access token; send an API key or a token in the header Authorization: Bearer TOKEN',
  ),
);

export const invalidToken = refusal(
  fail('invalid_token', 'the access token is not valid; send one that is valid now'),
);

export const tooManyVerifications = refusal(
  fail('overloaded', 'too many new tokens arrive at the same time; send the request again later', {
    retryAfterSeconds: 1,
  }),
);

export const keysUnavailable = refusal(
  fail(
    'overloaded',
    'the keys of the token issuer cannot be read at present; send the request again later',
    { retryAfterSeconds: 30 },
  ),
);

const throttled = new Map<number, Refusal>();

export function tooManyFailures(retryAfterSeconds: number): Refusal {
  const known = throttled.get(retryAfterSeconds);
  if (known !== undefined) return known;
  const detail = `too many invalid access tokens from this address; wait ${retryAfterSeconds} s and send a valid one`;
  const refused = refusal(fail('too_many_failures', detail, { retryAfterSeconds }));
  throttled.set(retryAfterSeconds, refused);
  return refused;
}

const realm = 'Bearer realm="svc"';
const challenges: Partial<Record<Reason, string>> = {
  missing_token: realm,
  invalid_token: `${realm}, error="invalid_token"`,
  insufficient_scope: `${realm}, error="insufficient_scope"`,
};

/** Returns the value of `WWW-Authenticate` for responses with this reason, or `undefined` if they do not have the header. */
export function challengeOf(reason: Reason): string | undefined {
  return challenges[reason];
}
