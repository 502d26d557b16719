/** Identifies the client of a connection: without credentials, or by a token that it sends as its password. */

import { OpenPrincipal, type Principal } from '#access';
import type { Clock } from '#base';
import { fail } from '#failure';

/** Checks tokens, as the HTTP interface does. */
export interface TokenCheck {
  /** Returns the principal, synchronously if it is known. Throws if the token is not valid. */
  authenticate(credentials: {
    readonly authorization: string;
    readonly address: () => string;
  }): Principal | Promise<Principal>;
}

/** The principal of one connection. */
export interface Admitted {
  /** Returns the principal with its present rights. Throws if its credential is no longer valid. */
  principal(): Principal;
}

/** A client that needs no credential. */
export function openClient(address: string): Admitted {
  const principal = new OpenPrincipal(() => address);
  return { principal: () => principal };
}

/** Checks the token, and again at each use, because its rights can change while the connection is open. */
export async function tokenClient(
  check: TokenCheck,
  token: string,
  address: string,
  clock: Clock,
): Promise<Admitted> {
  const credentials = { authorization: `Bearer ${token}`, address: () => address };
  let known = await check.authenticate(credentials);
  let refusal: { readonly error: unknown } | undefined;
  const accept = (principal: Principal) => {
    known = principal;
    refusal = undefined;
  };
  return {
    principal() {
      const found = check.authenticate(credentials);
      if (!(found instanceof Promise)) accept(found);
      else found.then(accept, (error: unknown) => (refusal = { error }));
      if (refusal !== undefined) throw refusal.error;
      if (known.isValidAt?.(clock.unixMs()) === false)
        throw fail('invalid_token', 'the access token has expired; connect again with another one');
      return known;
    },
  };
}
