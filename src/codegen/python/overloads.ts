/**
 * Overloads of methods that take a callback, one for each number of values that the callback returns. Python has no type that maps the types of a tuple. One
 * line of the runtime is replaced by all overloads of a method: `# overloads of select: Query[ROW, COLUMNS] of 12`, `# overloads of value`.
 */

const wanted = /^( *)# overloads of (\w+)(?:: (.+) of (\d+))?\n/gm;

/** Replaces these lines in the text of a runtime file. */
export function withOverloads(text: string): string {
  return text.replaceAll(wanted, (_, indent: string, method: string, result = '', count = '') => {
    const signatures = result === '' ? ofOneValue : ofTuples(result, Number(count));
    return signatures
      .map(
        ([parameter, given, made]) =>
          `${indent}@overload\n${indent}def ${method}(self, ${parameter}: Callable[[*_Sides], ${given}]) -> ${made}: ...\n`,
      )
      .join('');
  });
}

/** A parameter of the method, the return type of the callback, and the return type of the method. */
type Signature = readonly [parameter: string, given: string, made: string];

/** The result may be NULL even if the column may not, because the row may be missing. */
const ofOneValue: readonly Signature[] = [
  ['of', 'Num[_N, Any]', 'Num[_N, _N | None]'],
  ['of', 'Text[Any]', 'Text[str | None]'],
  ['of', 'Bool[Any]', 'Bool[bool | None]'],
  ['of', 'Val[_T, Any]', 'Val[_T, _T | None]'],
];

/**
 * Returns the overloads for tuples of up to `count` values, for one value, and for a dict. In `result`, ROW and COLUMNS are placeholders for the row type and
 * the column type.
 */
function ofTuples(result: string, count: number): readonly Signature[] {
  const made = (row: string, columns: string) =>
    result.replace('ROW', row).replace('COLUMNS', columns);
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i));
  const tuples = letters.map((_, i): Signature => {
    const own = letters.slice(0, i + 1);
    const tuple = (of: (letter: string) => string) => `tuple[${own.map(of).join(', ')}]`;
    const row = tuple((letter) => `_${letter}`);
    const columns = tuple((letter) => `_${letter}S`);
    return ['fields', tuple((letter) => `Part[_${letter}, _${letter}S]`), made(row, columns)];
  });
  return [
    ...tuples,
    ['fields', 'Part[_A, _AS]', made('_A', '_AS')],
    ['fields', 'Mapping[str, Part[Any, Any]]', made('dict[str, Any]', 'Any')],
  ];
}
