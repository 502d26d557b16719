/**
 * Overloads of methods that take a callback, one for each number of values that it gives, since Python has no type that maps the types of a tuple. A line of
 * the runtime stands for all of them: `# overloads of select: Query[ROW, COLUMNS] of 12`, `# overloads of value`.
 */

const wanted = /^( *)# overloads of (\w+)(?:: (.+) of (\d+))?\n/gm;

/** The text of a runtime file with the overloads written out. */
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

/** A parameter, what the callback gives, and what the method returns. */
type Signature = readonly [parameter: string, given: string, made: string];

/** The result is as much NULL as a column may be: there may be no row. */
const ofOneValue: readonly Signature[] = [
  ['of', 'Num[_N, Any]', 'Num[_N, _N | None]'],
  ['of', 'Text[Any]', 'Text[str | None]'],
  ['of', 'Bool[Any]', 'Bool[bool | None]'],
  ['of', 'Val[_T, Any]', 'Val[_T, _T | None]'],
];

/** For tuples up to so many values, one value by itself, and a dict. `result` has ROW and COLUMNS in the places of those types. */
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
