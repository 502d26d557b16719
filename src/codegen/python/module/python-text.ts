/** Pieces of Python text. */

/** Returns a Python string literal. Python reads the escapes of JSON, except surrogate pairs, so characters beyond the first plane stay unescaped. */
export const quoted = (text: string) =>
  JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });

/** Returns a text in the form for docstrings. */
export const told = (text: string) => quoted(text).slice(1, -1).replaceAll('"', "'");

/** Emits a class or another statement with an indented body. */
export function block(head: readonly string[], body: readonly string[]): readonly string[] {
  const lines = body.length === 0 ? ['pass'] : body;
  return ['', '', ...head, ...lines.map((line) => `    ${line}`)];
}
