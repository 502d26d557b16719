/**
 * Reads the TLS files of a listener again, every 10 s and on request, and exchanges the certificates if a file has
 * changed. Unusable files change nothing: a certificate and its key are often replaced one after the other.
 */

import { createHash } from 'node:crypto';
import type { Timer, World } from '#base';
import type { Log } from '../log.ts';
import type { TlsConfiguration } from './options.ts';
import { readTlsEntries } from './read-entries.ts';
import type { TlsEntry } from './tls-entry.ts';

const checkMs = 10_000;
/** Minimum time between two exchanges. The sockets before the last ones are closed by then. */
const settleMs = 2_000;

interface ReloadParts {
  readonly configuration: TlsConfiguration;
  readonly world: World;
  readonly log: Log;
  /** Name of the listener in the log. */
  readonly listener: string;
}

/** Throws and changes nothing if the runtime does not accept an entry. */
type Replace = (entries: readonly TlsEntry[]) => void;

export class CertificateReload {
  /** The entries with which to open the listener. */
  readonly entries: readonly TlsEntry[];
  private readonly parts: ReloadParts;
  private replace: Replace | undefined;
  private isStopped = false;
  private timer: Timer | undefined;
  private presented: string;
  private replacedMs = Number.NEGATIVE_INFINITY;
  /** The last failure, which is logged once. */
  private failure: string | undefined;

  /** Throws a `RefusedOption` if a file is unusable. */
  constructor(parts: ReloadParts) {
    this.parts = parts;
    this.entries = readTlsEntries(parts.configuration);
    this.presented = digestOf(this.entries);
  }

  start(replace: Replace): void {
    this.replace = replace;
    this.checkIn(checkMs);
  }

  /** Checks the files immediately, or as soon as the last exchange is complete. */
  reload(): void {
    const { world } = this.parts;
    const waitMs = this.replacedMs + settleMs - world.clock.monotonicMs();
    this.failure = undefined;
    if (waitMs > 0) this.checkIn(waitMs);
    else this.check();
  }

  /** Keeps the present certificates from now on. */
  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private checkIn(delayMs: number): void {
    this.timer?.cancel();
    if (this.isStopped) return;
    this.timer = this.parts.world.scheduler.after(delayMs, () => this.check());
  }

  private check(): void {
    if (this.isStopped) return;
    this.checkIn(checkMs);
    const { configuration, world, log, listener } = this.parts;
    try {
      const entries = readTlsEntries(configuration);
      const digest = digestOf(entries);
      if (digest !== this.presented) {
        this.replace?.(entries);
        this.presented = digest;
        this.replacedMs = world.clock.monotonicMs();
        log.write('info', 'tls.reloaded', { listener });
      }
      this.failure = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message === this.failure) return;
      this.failure = message;
      log.write('error', 'tls.reload_failed', { listener, error: message });
    }
  }
}

function digestOf(entries: readonly TlsEntry[]): string {
  return createHash('sha256').update(JSON.stringify(entries)).digest('hex');
}
