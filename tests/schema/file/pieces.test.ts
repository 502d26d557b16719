/** Large files are composed in pieces, which gives way; what they mean, and where they are wrong, is the same as in one go. */

import { describe, expect, test } from 'bun:test';
import { finishSteps, type Pace, type Pending, runSteps, unpaced } from '#base';
import { canonicalSchema } from '#catalog';
import { diagnosticLine, parseSchema, parseSchemaSteps } from '#schema';

interface Style {
  readonly table: (id: number, columns: readonly string[]) => string;
  readonly file: (tables: readonly string[]) => string;
}

const column = (id: number) =>
  `{ id: ${id}, name: c${id}, type: int64${id === 1 ? ', pk: true' : ''} }`;

const styles: Readonly<Record<string, Style>> = {
  block: {
    table: (id, columns) =>
      `  - id: ${id}\n    name: t${id} # the table ${id}\n    columns:\n${columns.map((one) => `      - ${one}\n`).join('')}`,
    file: (tables) => `# all of it\ntables:\n${tables.join('\n')}`,
  },
  'block to the last member': {
    table: (id, columns) =>
      `- columns:\n${columns.map((one) => `  - ${one.slice(2, -2).replaceAll(', ', '\n    ')}\n`).join('')}  name: t${id}\n  id: ${id}\n`,
    file: (tables) => `tables:\n${tables.join('')}`,
  },
  flow: {
    table: (id, columns) => `  {id: ${id}, name: t${id},\n   columns: [${columns.join(', ')}]}`,
    file: (tables) => `{tables: [\n${tables.join(',\n')}\n]}`,
  },
  JSON: {
    table: (id, columns) =>
      `{"id":${id},"name":"t${id}","columns":[${columns
        .map((one) =>
          one
            .replace('{ id: ', '{"id":')
            .replace(', name: ', ',"name":"')
            .replace(', type: ', '","type":"')
            .replace(', pk: true', '","pk":true')
            .replace(/([a-z0-9]) \}$/, '$1"}')
            .replace('true"}', 'true}'),
        )
        .join(',')}]}`,
    file: (tables) => `{"tables":[${tables.join(',')}]}`,
  },
};

const columnsTo = (count: number) => Array.from({ length: count }, (_, i) => column(i + 1));

function fileOf({ table, file }: Style, tables: number, columns: number): string {
  return file(Array.from({ length: tables }, (_, i) => table(i + 1, columnsTo(columns))));
}

function schemaOf(text: string): string {
  const parsed = parseSchema(text, 'f');
  if (parsed.kind === 'schema') return canonicalSchema(parsed.catalog);
  throw new Error(parsed.errors.map((error) => diagnosticLine(parsed.source, error)).join('\n'));
}

/** Counts how often it is asked, and the most work that is announced at once. */
class CountingPace implements Pace {
  asked = 0;
  most = 0;

  pause(rows: number): Pending | undefined {
    this.asked++;
    this.most = Math.max(this.most, rows);
    return this.asked % 50 === 0 ? Promise.resolve() : undefined;
  }

  wait<T>(pending: Promise<T>): Promise<T> {
    return pending;
  }
}

describe.each(Object.entries(styles))('%s', (_name, style) => {
  test('many tables mean what each of them means', async () => {
    const whole = JSON.parse(schemaOf(fileOf(style, 120, 12)));
    expect(whole).toEqual(JSON.parse(schemaOf(fileOf(styles['block'] as Style, 120, 12))));
    const [one] = JSON.parse(schemaOf(fileOf(style, 1, 12))).tables;
    expect(whole.tables[0]).toEqual(one);
    expect(whole.tables).toHaveLength(120);
    const pace = new CountingPace();
    const paced = await runSteps(parseSchemaSteps(fileOf(style, 120, 12), 'f', pace), pace);
    expect(paced.kind === 'schema' && JSON.parse(canonicalSchema(paced.catalog))).toEqual(whole);
  });

  test('a table of many columns', () => {
    const { tables } = JSON.parse(schemaOf(fileOf(style, 1, 1_000)));
    expect(tables[0].columns).toHaveLength(1_000);
  });

  test('no more than a few thousand tokens are composed at once, and twice the file asks twice as often', () => {
    const asked = [40, 80].map((tables) => {
      const pace = new CountingPace();
      const steps = parseSchemaSteps(fileOf(style, tables, 40), 'f', {
        ...unpaced,
        pause: (rows) => void pace.pause(rows),
      });
      steps.next();
      expect(pace.most).toBeLessThan(2_500);
      return pace.asked;
    }) as [number, number];
    expect(asked[1]).toBeGreaterThan(1.8 * asked[0]);
    expect(asked[1]).toBeLessThan(2.2 * asked[0]);
  });
});

test('each collection is weighed, and each table looked at, with a chance for others', () => {
  const pace = new CountingPace();
  const text = fileOf(styles['block'] as Style, 100, 50);
  finishSteps(parseSchemaSteps(text, 'f', { ...unpaced, pause: (rows) => void pace.pause(rows) }));
  // The file, its list; of each table its members, the list of its columns, and each of these.
  expect(pace.asked).toBeGreaterThan(2 + 100 * 52);
});

test('thousands of small members are composed one by one', () => {
  const pace = new CountingPace();
  const tables = Array.from(
    { length: 4_000 },
    (_, i) => `- { a: ${i}, b: [1, 2, 3], c: { d: e } }\n`,
  );
  runSteps(
    parseSchemaSteps(`tables:\n${tables.join('')}`, 'f', {
      ...unpaced,
      pause: (rows) => void pace.pause(rows),
    }),
    pace,
  );
  expect(pace.most).toBeLessThan(20_000);
  expect(pace.asked).toBeGreaterThan(4_000);
});

test('a mistake deep in a large file is shown where it stands', () => {
  const style = styles['block'] as Style;
  const tables = Array.from({ length: 200 }, (_, i) => style.table(i + 1, columnsTo(12)));
  const lines = style.file(tables).split('\n');
  const at = lines.findLastIndex((line) => line.includes('name: c7'));
  const firstError = (line: string) => {
    const parsed = parseSchema(lines.with(at, line).join('\n'), 'f');
    return parsed.kind === 'broken'
      ? parsed.errors.map(({ line, column, message }) => `${line - at - 1}:${column} ${message}`)[0]
      : parsed.kind;
  };
  expect(firstError('      - { id: 7, name: c7, type: intt }')).toBe(
    '0:34 unknown column type "intt"',
  );
  expect(firstError('      - { id: 7, name: c7, type: &a int64 }')).toContain(
    '0:37 schema validation failed: YAML anchors are not allowed',
  );
  expect(firstError('      - &a { id: 7, name: c7, type: int64 }')).toContain(
    'YAML anchors are not allowed',
  );
  expect(firstError('      - !!map { id: 7, name: c7, type: int64 }')).toContain(
    'YAML tags are not allowed',
  );
  expect(firstError('      - { id: 7, name: c7, type: *a }')).toContain(
    'YAML aliases are not allowed',
  );
  expect(firstError('      - { id: 7, name: c7, type: int64')).toContain(
    'schema validation failed: Flow map',
  );
  expect(firstError('     - { id: 7, name: c7, type: int64 }')).toContain(
    'schema validation failed',
  );
});

test('anchors and tags of a large member are seen', () => {
  const style = styles['block'] as Style;
  const text = fileOf(style, 200, 12);
  const errorOf = (broken: string) => {
    const parsed = parseSchema(broken, 'f');
    return parsed.kind === 'broken' ? parsed.errors[0]?.message : parsed.kind;
  };
  expect(errorOf(text.replace('tables:', 'tables: &all'))).toContain(
    'YAML anchors are not allowed',
  );
  expect(errorOf(text.replace('tables:', 'tables: !!seq'))).toContain('YAML tags are not allowed');
});
