/** Removes secrets from the data of spans before they are recorded. */

import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { redact } from '#base';

export function redactedAttributes(attributes: Attributes): Attributes {
  const entries = Object.entries(attributes).map(([name, value]) => [name, redactedValue(value)]);
  return Object.fromEntries(entries) as Attributes;
}

function redactedValue(value: AttributeValue | undefined): AttributeValue | undefined {
  if (typeof value === 'string') return redact(value);
  if (!Array.isArray(value)) return value;
  return value.map((item) => (typeof item === 'string' ? redact(item) : item)) as AttributeValue;
}

/** Returns the header `tracestate`, or `undefined` if it is absent or contains a secret: a part of it would have another meaning. */
export function redactedState(state: string | null): string | undefined {
  return state === null || redact(state) !== state ? undefined : state;
}
