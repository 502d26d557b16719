/** Pieces of Go as gofmt has them. */

/** Text of Go as it stands between quotes. */
export const quoted = (text: string) => JSON.stringify(text).replaceAll('\u2028', '\\u2028');

export const positions = (list: readonly number[]) => `[]int{${list.join(', ')}}`;

/** Fields with their types in one column; a field without a type is embedded. */
export function struct(
  name: string,
  fields: readonly (readonly [name: string, type: string])[],
): readonly string[] {
  if (fields.length === 0) return [`type ${name} struct{}`, ''];
  const width = Math.max(...fields.map(([field, type]) => (type === '' ? 0 : [...field].length)));
  const lines = fields.map(([field, type]) =>
    type === '' ? `\t${field}` : `\t${field}${' '.repeat(width - [...field].length)} ${type}`,
  );
  return [`type ${name} struct {`, ...lines, '}', ''];
}

/** `head` is what stands between `func` and the brace. */
export function func(head: string, ...body: readonly string[]): readonly string[] {
  return [`func ${head} {`, ...body.map((line) => `\t${line}`), '}', ''];
}

/** The same as a call wherever it is called: a copy in each caller would make large packages slow to compile. */
export function funcApart(head: string, ...body: readonly string[]): readonly string[] {
  return ['//go:noinline', ...func(head, ...body)];
}
