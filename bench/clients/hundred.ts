/** Clients of a schema of 100 tables with 15 columns and 297 foreign keys: how long they are generated, how long Go compiles one, and how long Python takes to import one, that it sees for the first time. */

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { emit, type GeneratedFile, type Target } from '#codegen';
import { modelOfText, targetsOf } from '../../tests/codegen/generate/files.ts';
import type { Measurement } from '../measure.ts';

/** Milliseconds at most: to generate one language, to compile, and of processor time to import. */
const goals = { generate: 200, compile: 3_000, import: 3_000 };
const types = ['string', 'int64', 'float64', 'bool', 'bytes'];

function schemaText(): string {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const columns = numbers(14).map((i) => ({
    ...{ id: i + 2, name: `column_${i}`, type: i < 3 ? 'int64' : types[i % types.length] },
    ...(i % 3 === 0 ? { nullable: true } : {}),
  }));
  const id = { id: 1, name: 'id', type: 'int64', pk: true, default: 'increment()' };
  const tables = numbers(100).map((at) => ({
    ...{ id: at + 1, name: `table_${at}`, columns: [id, ...columns] },
    foreign_keys: numbers(at === 0 ? 0 : 3).map((i) => ({
      ...{ name: `table_${at}_key_${i}`, columns: [`column_${i}`] },
      ...{ ref_table: `table_${(at * 7 + i) % at}`, ref_columns: ['id'] },
      on_delete: i === 0 ? 'set_null' : 'cascade',
    })),
  }));
  return JSON.stringify({ tables });
}

/** `folder` is there already; `go` and `python` where there is one. */
export function benchHundred(
  folder: string,
  go: string | null,
  python: string | null,
): readonly Measurement[] {
  const model = modelOfText(schemaText());
  const measured = ['typescript', 'go', 'python'].map((language) => {
    const module = language === 'typescript' ? '' : ', package: db';
    const target = targetsOf(`- {language: ${language}, output: db${module}}`)[0] as Target;
    const times: number[] = [];
    let files: readonly GeneratedFile[] = [];
    for (let i = 0; i < 9; i++) {
      const began = performance.now();
      files = emit(model, target);
      times.push(performance.now() - began);
    }
    const name = `${language}, 100 tables: generated`;
    return {
      files,
      found: measurement(name, times.sort((a, b) => a - b)[4] as number, goals.generate),
    };
  });
  const all = measured.map(({ found }) => found);
  if (go !== null) {
    const own = join(folder, 'hundred-go');
    written(join(own, 'db'), measured[1]?.files);
    writeFileSync(join(own, 'go.mod'), 'module hundred.test/app\n\ngo 1.24\n');
    // The standard library is compiled already where somebody has used Go, and here now.
    const imports = /^import \(\n[^)]*\)/m.exec(measured[1]?.files[1]?.text ?? '')?.[0] ?? '';
    mkdirSync(join(own, 'first'), { recursive: true });
    writeFileSync(
      join(own, 'first/first.go'),
      `package first\n\n${imports.replaceAll(/^\t"/gm, '\t_ "')}\n`,
    );
    Bun.spawnSync([go, 'build', './first'], { cwd: own });
    // What stands in the build cache has another text.
    appendFileSync(join(own, 'db/svc_client_gen.go'), `\n// ${Math.random()}\n`);
    const began = performance.now();
    const { exitCode } = Bun.spawnSync([go, 'build', './db'], { cwd: own, stderr: 'inherit' });
    if (exitCode !== 0) throw new Error('the Go client does not compile');
    all.push(measurement('go, 100 tables: compiled', performance.now() - began, goals.compile));
  }
  if (python === null) return all;
  const own = written(join(folder, 'hundred'), measured[2]?.files);
  const program = 'import time, db; print(time.process_time() * 1000)';
  const { stdout } = Bun.spawnSync([python, '-B', '-c', program], { cwd: own });
  return [...all, measurement('python, 100 tables: imported', Number(stdout), goals.import)];
}

function written(folder: string, files: readonly GeneratedFile[] = []): string {
  for (const { path, text } of files) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
  return folder;
}

function measurement(name: string, millis: number, most: number): Measurement {
  return {
    ...{ name, goal: 1, ratio: most / millis },
    ...{ subject: `${millis.toFixed(0)} ms`, reference: `${most} ms` },
  };
}
