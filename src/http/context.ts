/** What every route needs, made once per application. */

import type { Random } from '#base';
import type { Engine } from '#engine';
import { fail } from '#failure';
import type { BodyLimits } from './body.ts';
import type { Lifecycle } from './lifecycle.ts';
import { PreparedPrograms } from './prepared.ts';

export interface HttpOptions {
  readonly lifecycle: Lifecycle;
  readonly limits: BodyLimits;
  readonly random: Random;
  /** Highest level of `Svc-Diagnostics` that is granted. */
  readonly onInternalError: (incident: string, error: unknown) => void;
}

export interface HttpContext extends HttpOptions {
  readonly prepared: PreparedPrograms;
  /** The open engine; before that, a 503 that says so. */
  engine(): Engine;
  /** A fresh incident number, for an internal failure and its log line. */
  incident(): string;
}

export function httpContext(options: HttpOptions): HttpContext {
  return {
    ...options,
    prepared: new PreparedPrograms(),
    engine: () => {
      const { engine } = options.lifecycle;
      if (engine !== undefined) return engine;
      throw fail('storage_unavailable', 'the database is not open yet', {
        status: 503,
        retryAfterSeconds: 1,
      });
    },
    incident: () => options.random.fill(new Uint8Array(8)).toHex(),
  };
}
