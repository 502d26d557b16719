/** The current keys of the issuer, which are read again at intervals. */

import type { Timer, World } from '#base';
import { KeySet, parseKeys, RefusedKeySet } from './key-set.ts';
import { type KeyLoadParts, type KeyOrigin, type LoadKeys, loadKeysFrom } from './load-keys.ts';
import type { TokenAlgorithm } from './rules.ts';
import type { IssuerKeys } from './verifier.ts';

export type KeySourceEvent =
  | { readonly kind: 'replaced'; readonly keys: number }
  | { readonly kind: 'failed'; readonly problem: string; readonly keysRemain: boolean };

interface KeySourceOptions {
  readonly world: Pick<World, 'clock' | 'scheduler'>;
  readonly load: LoadKeys;
  readonly intervalMs: number;
  readonly algorithms: ReadonlySet<TokenAlgorithm>;
  readonly report: (event: KeySourceEvent) => void;
}

export const urlIntervalMs = 5 * 60_000;
const fileIntervalMs = 10_000;
const retryMs = 30_000;
const requestedIntervalMs = 30_000;
/** Old keys remain valid for this long after the last successful reading. */
const retentionMs = 24 * 60 * 60_000;

/** Returns a source that was not started. */
export function keySourceOf(
  origin: KeyOrigin,
  parts: Omit<KeySourceOptions, 'load' | 'intervalMs'> & Omit<KeyLoadParts, 'scheduler'>,
): KeySource {
  const load = loadKeysFrom(origin, { ...parts, scheduler: parts.world.scheduler });
  const intervalMs = origin.kind === 'file' ? fileIntervalMs : urlIntervalMs;
  return new KeySource({ ...parts, load, intervalMs });
}

export class KeySource implements IssuerKeys {
  private readonly options: KeySourceOptions;
  private set = new KeySet(0, []);
  private reading: Promise<void> | undefined;
  private timer: Timer | undefined;
  private isStopped = false;
  private succeededAtMs: number | undefined;
  private requestedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KeySourceOptions) {
    this.options = options;
  }

  /** An empty set of generation 0 if the keys could never be read. */
  get current(): KeySet {
    return this.set;
  }

  get isReady(): boolean {
    return this.succeededAtMs !== undefined;
  }

  /** Reads the keys, now and then at intervals. Resolves after the first reading, even if it failed. */
  start(): Promise<void> {
    return this.read();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  refresh(): Promise<void> {
    const nowMs = this.options.world.clock.monotonicMs();
    if (this.reading !== undefined) return this.reading;
    if (nowMs - this.requestedAtMs < requestedIntervalMs) return Promise.resolve();
    this.requestedAtMs = nowMs;
    return this.read();
  }

  private read(): Promise<void> {
    this.timer?.cancel();
    this.reading ??= this.readOnce().then((isRead) => {
      this.reading = undefined;
      if (this.isStopped) return;
      const delayMs = isRead ? this.options.intervalMs : Math.min(retryMs, this.options.intervalMs);
      this.timer = this.options.world.scheduler.after(delayMs, () => void this.read());
    });
    return this.reading;
  }

  private async readOnce(): Promise<boolean> {
    const { load, algorithms, world } = this.options;
    try {
      const keys = await parseKeys(await load(), algorithms, this.set.keys);
      if (this.isStopped) return true;
      this.replace(keys, !this.isReady);
      this.succeededAtMs = world.clock.monotonicMs();
      return true;
    } catch (error) {
      if (!this.isStopped) this.failed(error);
      return false;
    }
  }

  private replace(keys: KeySet['keys'], isFirst: boolean): void {
    const isEqual =
      keys.length === this.set.keys.length && keys.every((key) => this.set.includes(key));
    if (isEqual && !isFirst) return;
    this.set = new KeySet(this.set.generation + 1, keys);
    this.options.report({ kind: 'replaced', keys: keys.length });
  }

  private failed(error: unknown): void {
    const { world, report } = this.options;
    const ageMs = world.clock.monotonicMs() - (this.succeededAtMs ?? 0);
    if (this.isReady && ageMs >= retentionMs) {
      this.set = new KeySet(this.set.generation + 1, []);
      this.succeededAtMs = undefined;
    }
    const problem = error instanceof RefusedKeySet ? error.message : String(error);
    report({ kind: 'failed', problem, keysRemain: this.isReady });
  }
}
