/** What a poller saw between two marks. */

export interface Phase {
  readonly seconds: number;
  readonly livez: Waits;
  readonly points: Waits;
  /** Point reads that were answered with something else than the row, by status and reason. */
  readonly refusedPoints: Readonly<Record<string, number>>;
  /** Connections of the poller that the server closed, or would not open. */
  readonly lostConnections: number;
}

/** In ms. A request without an answer at the end of the phase counts with its age. */
export interface Waits {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The longest wait without the time in which a ready main thread, the server's or the poller's, had no processor. */
  readonly heldMax: number;
  /** The longest stretch in which the server's main thread ran between two answers of one connection. */
  readonly ranMax: number;
  readonly unanswered: number;
}

export interface Wait {
  readonly wallMs: number;
  readonly heldMs: number;
  readonly ranMs: number;
  readonly isAnswered: boolean;
}

/** `everyMs`: a long wait also stands for the requests that would have been sent meanwhile, and waited too. */
export function summarize(waits: readonly Wait[], everyMs: number): Waits {
  const walls = waits.flatMap(({ wallMs }) => {
    const missed = Math.min(10_000, Math.floor(wallMs / everyMs));
    return Array.from({ length: 1 + missed }, (_, i) => wallMs - i * everyMs);
  });
  walls.sort((a, b) => a - b);
  const at = (share: number) => walls[Math.min(walls.length - 1, Math.floor(walls.length * share))];
  const max = (of: (wait: Wait) => number) => waits.reduce((most, w) => Math.max(most, of(w)), 0);
  return {
    count: waits.length,
    p50: at(0.5) ?? 0,
    p99: at(0.99) ?? 0,
    max: max(({ wallMs }) => wallMs),
    heldMax: max(({ heldMs }) => heldMs),
    ranMax: max(({ ranMs }) => ranMs),
    unanswered: waits.filter(({ isAnswered }) => !isAnswered).length,
  };
}
