/** Pieces of Python. */

/** A text of Python: JSON's escapes are its own, but for characters beyond the first plane, which stand as they are. */
export const quoted = (text: string) =>
  JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** As comments have it. */
export const told = (text: string) => quoted(text).slice(1, -1).replaceAll('"', "'");

/** A class, or what else has a body behind its head. */
export function block(head: readonly string[], body: readonly string[]): readonly string[] {
  const lines = body.length === 0 ? ['pass'] : body;
  return ['', '', ...head, ...lines.map((line) => `    ${line}`)];
}
