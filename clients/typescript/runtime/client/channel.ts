/** What an operation is made with: the channel that all operations of a client share, and the request. */

import type { Answer, Next, Operation } from './exchange.ts';
import type { Tokens } from './headers.ts';
import type { ClientOptions } from './options.ts';
import type { World } from './world.ts';

/** What all operations of a client share. */
export interface Channel {
  readonly options: ClientOptions;
  readonly world: World;
  readonly exchange: Next;
  readonly tokens: Tokens;
  readonly headers: Readonly<Record<string, string>>;
  /** Gives up what is under way; `close` calls all of them. */
  readonly underWay: Set<() => void>;
  isClosed: boolean;
}

/** What is asked of a server, whatever becomes of it. */
export interface Request {
  readonly name: string;
  readonly kind: Operation['kind'];
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
  /** May depend on the token, the empty text without one. */
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  /** Of a pointer into the body, the builder's step. */
  readonly locate?: ((pointer: string) => string) | undefined;
  /** Must be done before anything is sent, such as the check of the schema. */
  readonly before?: (() => Promise<void> | undefined) | undefined;
  /** Whether what was answered with success is what was asked for; something else between may answer too. */
  readonly isUsable: (value: unknown) => boolean;
}

export interface ReadAnswer extends Answer {
  /** The JSON of the answer, integers of 16 digits and more as strings; undefined without a body. */
  readonly value: unknown;
  /** No number in the JSON has more than 15 digits. */
  readonly isShort: boolean;
}

export const json = () => ({ 'content-type': 'application/json' });
