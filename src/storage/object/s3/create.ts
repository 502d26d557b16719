/**
 * Creation of an object that must not exist yet: `If-None-Match: *`.
 *
 * A request is repeated only if the server has refused to process it. After any less certain
 * outcome the result is `unknown`. After a conflict on a retry the result is `unknown` too: the
 * existing object may come from the first attempt. Even a `conflict` on the first attempt can be
 * caused by the request itself, because a transport may send it twice. A caller that must
 * distinguish the cases reads the object and looks for its own mark.
 */

import type { Body, ConditionalOutcome } from '../store.ts';
import { meaningOf } from './answer.ts';
import type { S3Client } from './client.ts';
import { RequestBody } from './request-body.ts';

export async function createObject(
  client: S3Client,
  name: string,
  body: Body,
): Promise<ConditionalOutcome> {
  const request = {
    method: 'PUT',
    key: client.keyOf(name),
    headers: { 'if-none-match': '*' },
    body: new RequestBody(body),
  } as const;
  for (let attempt = 1; ; attempt++) {
    const outcome = await client.exchange(request);
    const meaning = meaningOf(outcome);
    if (meaning === 'done') return 'committed';
    if (outcome.kind === 'answer' && outcome.status === 412) {
      return attempt === 1 ? 'conflict' : 'unknown';
    }
    if (meaning === 'failing') return 'unknown';
    if (meaning !== 'throttled')
      throw client.storageErrorOf(outcome, { operation: 'create', object: name });
    if (attempt >= client.attemptsMax) return 'unknown';
    await client.pause(attempt, outcome);
  }
}
