/**
 * Functions made from text. The text of a statement that is planned anew each time asks for the same one each time, and to compile it would take longer than to
 * run it: a function is kept by its text.
 */

/** A function of one argument. */
type Generated = (argument: unknown) => unknown;

const kept = new Map<string, Generated>();
const keptMax = 256;
/** Longer texts are those of very many columns. */
const keptLengthMax = 8 * 1024;

/** The function with this parameter and body, which refers to nothing else. */
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
