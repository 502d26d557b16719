/** Pieces of Go text in the format of gofmt. */

/** Returns a Go string literal. */
export const quoted = (text: string) => JSON.stringify(text).replaceAll('\u2028', '\\u2028');

export const positions = (list: readonly number[]) => `[]int{${list.join(', ')}}`;

/** Emits a struct with the types of its fields aligned in one column. A field with an empty type is embedded. */
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

/** Emits a function. `head` is the text between `func` and the brace. */
export function func(head: string, ...body: readonly string[]): readonly string[] {
  return [`func ${head} {`, ...body.map((line) => `\t${line}`), '}', ''];
}

/** Emits a function that the compiler does not inline. A copy in each caller would make large packages slow to compile. */
export function funcApart(head: string, ...body: readonly string[]): readonly string[] {
  return ['//go:noinline', ...func(head, ...body)];
}
