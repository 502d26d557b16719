/** Column defaults and missing values as exact JSON: numbers and bytes are stored as strings. */

import { invariant } from '#base';
import {
  ByteString,
  formatBase64,
  type IdentifierFormat,
  parseBase64,
  parseInt64,
  type Scalar,
  type ScalarType,
} from '#value';

export type StoredScalar = null | string | boolean;

export function storeScalar(value: Scalar): StoredScalar {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value instanceof ByteString) return formatBase64(value.bytes);
  return Object.is(value, -0) ? '-0' : String(value);
}

export function loadScalar(
  type: ScalarType,
  format: IdentifierFormat | undefined,
  stored: StoredScalar,
): Scalar {
  if (stored === null) return null;
  const value = loadValue(type, format, stored);
  invariant(value !== undefined, 'a stored value fits its column');
  return value;
}

function loadValue(
  type: ScalarType,
  format: IdentifierFormat | undefined,
  stored: string | boolean,
): Scalar | undefined {
  if (typeof stored === 'boolean') return type === 'bool' ? stored : undefined;
  switch (type) {
    case 'text':
      return stored;
    case 'int64':
      return parseInt64(stored);
    case 'float64':
      return Number(stored);
    case 'bytes': {
      const bytes = parseBase64(stored);
      return bytes && new ByteString(bytes, format);
    }
    case 'bool':
      return undefined;
  }
}
