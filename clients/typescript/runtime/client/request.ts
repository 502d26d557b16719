/** A request of the client: checked options, its attempts, and the span around them. */

import { Attempts } from './attempts.ts';
import { BuildError } from './build-error.ts';
import type { Channel, ReadAnswer, Request } from './channel.ts';
import type { CallOptions, SpanAttributes } from './options.ts';

/** The answer of status 2xx or 304. Rejects with SvcError, TransportError, and whatever token source and middleware throw. */
export function request(
  channel: Channel,
  asked: Request,
  call: CallOptions = {},
): Promise<ReadAnswer> {
  const { telemetry, timeoutMs: usualMs } = channel.options;
  const { name = asked.name, timeoutMs = usualMs ?? 30_000 } = call;
  if (!(timeoutMs > 0)) return Promise.reject(new BuildError(`timeoutMs is ${timeoutMs}`));
  const attempts = new Attempts(channel, { ...asked, name }, call, timeoutMs);
  if (!telemetry?.span) return attempts.run();
  const attributes = { 'db.operation.name': name, 'db.system.name': 'svc' };
  return telemetry.span(name, attributes, async (end) => {
    const seen: Record<string, SpanAttributes[string]> = {};
    try {
      return await attempts.run();
    } catch (error) {
      const { reason, phase, name: type } = error as Error & { reason?: string; phase?: string };
      seen['error.type'] = reason ?? phase ?? type;
      throw error;
    } finally {
      const { count, status } = attempts;
      if (status > 0) seen['http.response.status_code'] = status;
      end({ ...seen, attempts: count });
    }
  });
}
