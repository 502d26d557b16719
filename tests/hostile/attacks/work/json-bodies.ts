/** JSON of 4 MB of which every part is dear to read, alone and many at a time. */

import { type LiveAttack, outcomeOf } from '../../attack.ts';
import { ask, count, relation } from '../../programs/lir.ts';

const live = { kind: 'live', part: 'work' } as const;
const bodyLength = (4 << 20) - 2000;

/** Elements of 4 MB in all. */
function elements(of: (i: number) => string): string {
  const all: string[] = [];
  for (let length = 0; length < bodyLength - 2000; length += (all.at(-1) as string).length + 1) {
    all.push(of(all.length));
  }
  return all.join(',');
}

const bigs = () => elements(() => '9007199254740993');
const namedOnce = () => elements((i) => `{"k${i}":1}`);
const members = () => elements((i) => `"k${i}":1`);
const list = (text: string) => `{"statements":[],"x":[${text}]}`;

/** Literal rows with `columns` and `rows` as they are. */
function rows(columns: string, cells: string): string {
  const node = { kind: 'rows', scope: 'r', columns: ['@'], rows: ['#'] };
  const text = ask(relation({ r: node, c: count('r') }, 'c', 'scalar'));
  return text.replace('"@"', columns).replace('"#"', cells);
}

const number = '{"name":"a","type":"int64"}';

const bodies: Readonly<Record<string, () => string>> = {
  'integers beyond 2^53': () => list(bigs()),
  'the same in objects': () => list(elements(() => '{"value":9007199254740993}')),
  'numbers with exponents': () => list(elements(() => '{"value":1e0}')),
  'numbers of a hundred digits': () => list(elements(() => '1'.repeat(100))),
  'objects of names of their own': () => list(namedOnce()),
  'objects of sixty names': () =>
    list(
      elements((i) => `{${Array.from({ length: 60 }, (_, j) => `"k${i * 61 + j}":1`).join(',')}}`),
    ),
  'one object of very many names': () => `{"statements":[],"x":{${members()}}}`,
  'a program of very many members': () => `{"statements":[],${members()}}`,
  'a query of very many nodes': () =>
    `{"statements":[{"kind":"query","name":"q","relation":{"nodes":{${members()}},"root":{"node":"k0","cardinality":"many"}}}],"result":"q"}`,
  'statements that are none': () => `{"statements":[${namedOnce()}],"result":"x"}`,
  'texts of their own': () => list(elements((i) => `"${i.toString(36)}"`)),
  'one text of surrogates': () => list(`"${'\\ud83d\\ude00'.repeat(345_000)}"`),
  'rows that are none': () =>
    rows(
      number,
      elements(() => '1'),
    ),
  'rows of which none fits': () =>
    rows(
      number,
      elements(() => '["x"]'),
    ),
  'rows of which the last does not fit': () => rows(number, `${elements(() => '["1"]')},["x"]`),
  'rows of one wide row': () => rows(number, `[${elements(() => '"1"')}]`),
  'columns of rows': () =>
    rows(
      elements((i) => `{"name":"c${i}","type":"int64"}`),
      '',
    ),
  'an error in the last character': () => `{"statements":[],"x":[${bigs()}]]`,
};

export const jsonBodies: LiveAttack = {
  ...live,
  name: 'json-bodies',
  does: '4 MB of big integers, of names, of texts, of wrong rows',
  strike: async (stage) => {
    const answers = [];
    for (const body of Object.values(bodies)) answers.push(await stage.execute(body()));
    return outcomeOf(answers);
  },
};

const many: LiveAttack['strike'] = async (stage) => {
  const texts = [
    list(bigs()),
    list(namedOnce()),
    rows(
      number,
      elements(() => '["1"]'),
    ),
  ];
  const asks = Array.from({ length: 12 }, (_, i) => stage.execute(texts[i % 3] as string));
  return outcomeOf(await Promise.all(asks));
};

export const jsonTogether: LiveAttack = {
  ...live,
  name: 'json-together',
  does: 'twelve bodies of 4 MB at once: big integers, names, rows',
  strike: many,
};
