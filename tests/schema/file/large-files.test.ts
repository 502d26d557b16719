/** Large files are read on another thread; what they mean, and where they are wrong, is the same as on this one. */

import { afterAll, describe, expect, test } from 'bun:test';
import { neverYield, type Scheduler, type YieldPolicy } from '#base';
import { canonicalSchema } from '#catalog';
import { diagnosticLine, type ParsedSchema, parseSchema, SchemaReader } from '#schema';
import { atOnceMax, startSchemaThread } from '../../../src/schema/file/parse-aside.ts';

/** The scheduler's timers, which run when a test says so. */
function handTimers() {
  const timers = new Set<() => void>();
  const scheduler: Pick<Scheduler, 'after'> = {
    after: (_delayMs, task) => {
      timers.add(task);
      return { cancel: () => void timers.delete(task) };
    },
  };
  return { scheduler, fire: () => timers.forEach((task) => void task()), timers };
}

const reader = new SchemaReader(handTimers().scheduler);
afterAll(() => reader.close());

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

function meaningOf(parsed: ParsedSchema): string {
  if (parsed.kind === 'schema') return canonicalSchema(parsed.catalog);
  throw new Error(parsed.errors.map((error) => diagnosticLine(parsed.source, error)).join('\n'));
}

const errorsOf = (parsed: ParsedSchema) =>
  parsed.kind === 'broken' ? [...parsed.errors, ...parsed.warnings] : [];

const schemaOf = (text: string) => meaningOf(parseSchema(text, 'f'));

/** Notes whether something was waited for: a thread, in these tests. */
function notingPace() {
  const pace = {
    waited: 0,
    pause: () => undefined,
    wait<T>(pending: Promise<T>): Promise<T> {
      pace.waited++;
      return pending;
    },
  };
  return pace;
}

describe.each(Object.entries(styles))('%s', (_name, style) => {
  test('many tables mean what each of them means', async () => {
    const whole = JSON.parse(schemaOf(fileOf(style, 120, 12)));
    expect(whole).toEqual(JSON.parse(schemaOf(fileOf(styles['block'] as Style, 120, 12))));
    const [one] = JSON.parse(schemaOf(fileOf(style, 1, 12))).tables;
    expect(whole.tables[0]).toEqual(one);
    expect(whole.tables).toHaveLength(120);
    const text = fileOf(style, 120, 12);
    expect(text.length).toBeGreaterThan(atOnceMax);
    const pace = notingPace();
    expect(JSON.parse(meaningOf(await reader.parse(text, 'f', pace)))).toEqual(whole);
    expect(pace.waited).toBe(1);
  });

  test('a table of many columns', () => {
    const { tables } = JSON.parse(schemaOf(fileOf(style, 1, 1_000)));
    expect(tables[0].columns).toHaveLength(1_000);
  });
});

test('a small file is read at once', async () => {
  const text = fileOf(styles['block'] as Style, 2, 12);
  const pace = notingPace();
  expect(meaningOf(await reader.parse(text, 'f', pace))).toBe(schemaOf(text));
  expect(pace.waited).toBe(0);
});

test('policies come back from the thread, and their errors are at the same place', async () => {
  const text = (name: string) =>
    `${fileOf(styles['block'] as Style, 120, 12)}policies:\n  claims: { c: int64 }\n  tables: { t3: { read: { kind: binary, op: eq, left: { kind: col, scope: row, column: ${name} }, right: { kind: claim, name: c } } } }\n`;
  for (const name of ['c7', 'c77']) {
    const aside = await reader.parse(text(name), 'f', neverYield);
    const here = parseSchema(text(name), 'f');
    expect(errorsOf(aside)).toEqual([...errorsOf(here)]);
    expect(aside.kind === 'schema' && aside.policies).toEqual(
      here.kind === 'schema' && here.policies,
    );
  }
  const found = await reader.parse(text('c7'), 'f', neverYield);
  expect(found.kind === 'schema' && found.policies).toMatchObject({
    tables: [{ table: 3, read: { where: { left: { column: 7 } } } }],
  });
});

test('defaults come back from the thread as they were written', async () => {
  const defaults = ['1', '9007199254740993', 'a', 'true', 'uuid_v4()', '1.0', '1.5', '2e3'];
  const types = [
    'int64',
    'int64',
    'text',
    'bool',
    'bytes, format: uuid',
    'float64',
    'float64',
    'float64',
  ];
  const columns = defaults.map(
    (value, i) => `{ id: ${i + 2}, name: d${i}, type: ${types[i]}, default: ${value} }`,
  );
  const { table, file } = styles['block'] as Style;
  const text = `\ufeff${file([table(1, [column(1), ...columns])])}${'# filler\n'.repeat(2_000)}`;
  const aside = await reader.parse(text, 'f', neverYield);
  expect(meaningOf(aside)).toBe(schemaOf(text));
  // As a default of an int64 column only `1` is allowed.
  const exact = text.replace('type: float64, default: 1.0', 'type: int64, default: 1.0');
  expect(errorsOf(await reader.parse(exact, 'f', neverYield))).toEqual(
    errorsOf(parseSchema(exact, 'f')),
  );
});

test('what is wrong is told as it is without a thread, source and places included', async () => {
  const text = fileOf(styles['block'] as Style, 120, 12).replaceAll('name: c7', 'nme: c7');
  const aside = await reader.parse(text, 'f', neverYield);
  expect(errorsOf(aside)).toHaveLength(100);
  expect(errorsOf(aside)).toEqual(errorsOf(parseSchema(text, 'f')));
  expect([aside.source.name, aside.source.text]).toEqual(['f', text]);
});

test('work that is ended does not wait for the thread', async () => {
  const ended: YieldPolicy = { ...neverYield, wait: () => Promise.reject(new Error('ended')) };
  const reading = reader.parse(fileOf(styles['flow'] as Style, 120, 12), 'f', ended);
  expect(await reading.then(String, String)).toBe('Error: ended');
});

test('one thread reads one file after the other, until it has had nothing to do for a while', async () => {
  const text = fileOf(styles['block'] as Style, 120, 12);
  const ended: YieldPolicy = { ...neverYield, wait: () => Promise.reject(new Error('ended')) };
  const { scheduler, fire, timers } = handTimers();
  const threads: Worker[] = [];
  const own = new SchemaReader(scheduler, () => {
    const thread = startSchemaThread();
    threads.push(thread);
    return thread;
  });
  const read = async (pace = neverYield) => {
    await own.parse(text, 'f', pace).catch(() => {});
    return [threads.length, timers.size];
  };
  expect([await read(), await read()]).toEqual([
    [1, 1],
    [1, 1],
  ]);
  fire();
  expect(await read()).toEqual([2, 1]);
  // A file that is given up takes its thread along.
  expect(await read(ended)).toEqual([2, 0]);
  expect(await read()).toEqual([3, 1]);
  const gone = Promise.withResolvers<void>();
  threads[2]?.addEventListener('close', () => gone.resolve());
  threads[2]?.terminate();
  await gone.promise;
  expect(await read()).toEqual([4, 1]);
  own.close();
  expect(timers.size).toBe(0);
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
