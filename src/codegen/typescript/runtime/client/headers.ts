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
export class Tokens {
  private readonly source: TokenSource | undefined;
  private asked: Promise<string> | undefined;
  private last = '';

  constructor(source: TokenSource | undefined) {
    this.source = source;
    if (typeof source === 'string') this.take(source);
  }

  /** Whether asking once more may give another one. */
  get mayChange(): boolean {
    return typeof this.source === 'function';
  }

  /** The one that was had last; the empty text without any. */
  get current(): string {
    return this.last;
  }

  /** Rejects with what the source throws. */
  get(): string | Promise<string> {
    const { source } = this;
    if (typeof source !== 'function') return this.last;
    this.asked ??= (async () => this.take(await source()))().finally(() => {
      this.asked = undefined;
    });
    return this.asked;
  }

  private take(token: string): string {
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw new BuildError('the token is empty, or has a character that HTTP does not allow');
    }
    this.last = token;
    return token;
  }
}
