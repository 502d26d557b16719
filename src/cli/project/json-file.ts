/** Reads JSON files that commands have written themselves. */

import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { withoutByteOrderMark } from '#base';

/** Returns the parsed value, or `undefined` if there is no text or it does not match the shape. */
export function parsedAs<Shape extends TSchema>(
  shape: Shape,
  text: string | undefined,
): Static<Shape> | undefined {
  try {
    const value: unknown = JSON.parse(withoutByteOrderMark(text ?? ''));
    return Value.Check(shape, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
