/**
 * Functions generated from text, cached by their text. A statement that is planned for each request generates the same function each time,
 * and compiling it would take longer than running it.
 */

/** A function of one argument. */
type Generated = (argument: unknown) => unknown;

const kept = new Map<string, Generated>();
const keptMax = 256;
/** Longer texts, which belong to statements with very many columns, are not cached. */
const keptLengthMax = 8 * 1024;

/** Returns the function with this parameter and body. The body must not refer to anything else. */
export function generated(parameter: string, body: string): Generated {
  const key = `${parameter} ${body}`;
  const known = kept.get(key);
  if (known !== undefined) return known;
  const made = new Function(parameter, body) as Generated;
  if (body.length > keptLengthMax) return made;
  if (kept.size >= keptMax) kept.delete(kept.keys().next().value as string);
  kept.set(key, made);
  return made;
}
