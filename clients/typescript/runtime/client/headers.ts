/** Headers and the token in them, checked before they are sent: what `fetch` says of a bad one would look like a broken connection. */

import { BuildError } from './build-error.ts';

export type TokenSource = string | (() => string | Promise<string>);

/** Throws BuildError for a name or a value that HTTP does not allow; the message holds no value. */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      throw new BuildError(`header "${name}" has a character that HTTP does not allow`);
    }
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

/** Asks for tokens, once for all requests that wait for one. */
export interface Tokens {
  /** The empty text without a source. Rejects with what the source throws. */
  get(): string | Promise<string>;
  /** One that nobody waits for any more: the next request asks anew, since it may never come. */
  forget(asked: string | Promise<string>): void;
  /** Whether asking once more may give another one. */
  readonly mayChange: boolean;
}

/** Throws BuildError for a token that cannot be sent. */
export function tokensOf(source: TokenSource | undefined): Tokens {
  let asked: Promise<string> | undefined;
  const take = (token: string) => {
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new BuildError(
        'the token is empty, or has a character that HTTP does not allow: trim it',
      );
    }
    return token;
  };
  const forget = (own: unknown) => {
    if (asked === own) asked = undefined;
  };
  const fixed = typeof source === 'string' ? take(source) : '';
  return {
    get: () => {
      if (typeof source !== 'function') return fixed;
      if (asked) return asked;
      const own = (async () => take(await source()))().finally(() => forget(own));
      asked = own;
      return own;
    },
    forget,
    mayChange: typeof source === 'function',
  };
}
