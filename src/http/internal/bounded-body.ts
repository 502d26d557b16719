/** Reads a request body within limits of size and time. */

import { type Scheduler, withoutByteOrderMark } from '#base';

interface BodyBounds {
  readonly bytesMax: number;
  readonly timeMs: number;
  readonly scheduler: Pick<Scheduler, 'after'>;
}

type BoundedBody =
  | { readonly kind: 'whole'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'too_slow' }
  | { readonly kind: 'broken' };

/** Reads the body. Never rejects. The unread rest is cancelled. */
export async function readBounded(
  request: Request,
  { bytesMax, timeMs, scheduler }: BodyBounds,
): Promise<BoundedBody> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return { kind: 'too_large' };
  const reader = request.body?.getReader();
  if (reader === undefined) return { kind: 'whole', text: '', bytes: 0 };
  let isLate = false;
  const timer = scheduler.after(timeMs, () => {
    isLate = true;
    void reader.cancel().catch(() => {});
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) return { kind: 'too_slow' };
      if (done) break;
      bytes += value.byteLength;
      if (bytes > bytesMax) {
        void reader.cancel().catch(() => {});
        return { kind: 'too_large' };
      }
      chunks.push(value);
    }
    return {
      kind: 'whole',
      text: withoutByteOrderMark(Buffer.concat(chunks).toString('utf8')),
      bytes,
    };
  } catch {
    return { kind: isLate ? 'too_slow' : 'broken' };
  } finally {
    timer.cancel();
  }
}
