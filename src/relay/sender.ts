/**
 * Sends records of executed programs to the peer, one batch per second. A batch that is refused temporarily is sent
 * again with the same number.
 */

import type { Timer, World } from '#base';
import type { Told, ToldProgram } from '#statistics';
import { batchBytesMax, encodeBatch, withoutCorpus } from './relay-batch.ts';

const intervalMs = 1_000;
/** Maximum number of retries after the first attempt. */
const retriesMax = 3;
const backoffMs = 1_000;
/** After the peer has rejected programs, the sender sends it no programs for this time. */
const withholdMs = 60_000;
/** Maximum number of batches that are sent on shutdown. */
const lastMax = 16;

interface Answer {
  readonly status: number;
  readonly reason: string;
}

const nothing: Told = { families: [], frequency: [] };

interface SenderParts {
  readonly world: Pick<World, 'clock' | 'scheduler' | 'random'>;
  readonly instance: string;
  /** Returns the executions since the previous call, or `undefined` if there are none. */
  readonly take: () => Told | undefined;
  /** Returns programs that were not sent yet, up to a limit. `undefined` if this process stores no programs. */
  readonly takePrograms?: () => readonly ToldProgram[];
  /** Whether only the peer can read the posted data and the identity of the peer is verified. */
  readonly isConfidential: boolean;
  /** Posts a body and returns the status of the response. Rejects, within its own timeout, if there is no response. */
  readonly post: (body: string) => Promise<Answer>;
  /** Called at each change of the state, with the status and the reason of the peer. */
  readonly onState?: (state: SenderState, said: string) => void;
}

/** A batch that the peer has not accepted yet, with its number of programs. */
interface PendingBatch {
  body: string;
  programs: number;
  retries: number;
}

type SenderState = 'connected' | 'retrying' | 'losing' | 'idle';

export class Sender {
  private sent = 0;
  private abandoned = 0;
  private rejected = 0;
  private corpusSent = 0;
  private corpusWithheld = 0;
  private withheldUntilMs = Number.NEGATIVE_INFINITY;
  private readonly parts: SenderParts;
  private readonly boot: string;
  private sequence = 0;
  private pending: PendingBatch | undefined;
  private isLosing = false;
  private timer: Timer | undefined;
  private sending: Promise<void> | undefined;
  private isStopped = false;
  private told: SenderState = 'idle';

  constructor(parts: SenderParts) {
    this.parts = parts;
    const bytes = parts.world.random.fill(new Uint8Array(16));
    this.boot = Buffer.from(bytes).toString('hex');
  }

  start(): void {
    this.wakeAfter(intervalMs);
  }

  /** Returns the counts for `StatisticsRelay`. */
  report() {
    const { state, sent, abandoned, rejected, corpusSent, corpusWithheld } = this;
    const holding = this.pending !== undefined;
    return { state, sent, abandoned, rejected, holding, corpusSent, corpusWithheld };
  }

  /** Sends the remaining batches once, without retries. Each attempt waits at most for one response. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.cancel();
    await this.sending;
    for (let last = 0; last < lastMax; last++) {
      this.pending ??= this.next();
      if (this.pending === undefined) return;
      this.pending.retries = retriesMax;
      const { sent } = this;
      await this.attempt(this.pending);
      // A peer that does not accept this batch will not accept the next one either.
      if (this.sent === sent) return;
    }
  }

  private get state(): SenderState {
    if (this.pending !== undefined && this.pending.retries > 0) return 'retrying';
    if (this.isLosing) return 'losing';
    return this.sent > 0 ? 'connected' : 'idle';
  }

  private wakeAfter(ms: number): void {
    this.timer = this.parts.world.scheduler.after(ms, () => {
      this.sending = this.turn().finally(() => {
        this.sending = undefined;
      });
    });
  }

  private async turn(): Promise<void> {
    this.pending ??= this.next();
    if (this.pending !== undefined) await this.attempt(this.pending);
    if (this.isStopped) return;
    const { retries } = this.pending ?? { retries: 0 };
    const waitMs = retries === 0 ? intervalMs : backoffMs * 2 ** (retries - 1);
    this.wakeAfter(waitMs * (1 + this.parts.world.random.unit() / 4));
  }

  private next(): PendingBatch | undefined {
    const { take, instance, world } = this.parts;
    const told = take();
    const corpus = this.takePrograms();
    if (told === undefined && corpus.length === 0) return undefined;
    const { boot } = this;
    const sentAtMicros = world.clock.unixMs() * 1_000;
    const evidence = { ...(told ?? nothing), corpus };
    const sequence = ++this.sequence;
    const body = encodeBatch({ ...evidence, instance, boot, sequence, sentAtMicros });
    if (Buffer.byteLength(body) <= batchBytesMax) {
      return { body, programs: corpus.length, retries: 0 };
    }
    this.abandoned++;
    this.isLosing = true;
    return undefined;
  }

  /**
   * Returns the programs to send. Over a connection that is not confidential, or to a peer that rejects programs, no
   * programs are sent: they are counted and discarded.
   */
  private takePrograms(): readonly ToldProgram[] {
    const { takePrograms, isConfidential, world } = this.parts;
    const taken = takePrograms?.() ?? [];
    if (isConfidential && world.clock.monotonicMs() >= this.withheldUntilMs) return taken;
    this.corpusWithheld += taken.length;
    return [];
  }

  /** Sends the batch. If the peer rejects its programs, it is sent again without them. */
  private async attempt(batch: PendingBatch): Promise<void> {
    const answer = await this.post(batch);
    if (answer.status !== 403 || batch.programs === 0) return this.settle(batch, answer);
    this.corpusWithheld += batch.programs;
    this.withheldUntilMs = this.parts.world.clock.monotonicMs() + withholdMs;
    batch.body = withoutCorpus(batch.body);
    batch.programs = 0;
    return this.settle(batch, await this.post(batch));
  }

  private post({ body }: PendingBatch): Promise<Answer> {
    return this.parts.post(body).catch((error) => ({ status: 0, reason: String(error) }));
  }

  private settle(batch: PendingBatch, answer: Answer): void {
    const { status } = answer;
    if (status === 202) {
      this.sent++;
      this.corpusSent += batch.programs;
      this.isLosing = false;
      this.pending = undefined;
    } else if (!mayPass(status)) {
      this.rejected++;
      this.isLosing = true;
      this.pending = undefined;
    } else if (batch.retries >= retriesMax) {
      this.abandoned++;
      this.isLosing = true;
      this.pending = undefined;
    } else batch.retries++;
    this.tell(`${status} ${answer.reason}`);
  }

  private tell(said: string): void {
    const { state } = this;
    if (state === this.told) return;
    this.told = state;
    this.parts.onState?.(state, said);
  }
}

/**
 * Returns whether a retry can succeed: the peer is starting, is full or has not received its new token. Status 0 means
 * that the peer cannot be reached.
 */
function mayPass(status: number): boolean {
  return status === 0 || status === 401 || status === 408 || status === 429 || status >= 500;
}
