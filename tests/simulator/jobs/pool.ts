/**
 * Tasks on several processes, each with one at a time: a simulation keeps one processor busy. Children end with their parent, however
 * that ends.
 */

import { join } from 'node:path';
import type { Subprocess } from 'bun';
import { perform, type Result, type Task } from './task.ts';

export interface PoolOptions {
  readonly jobs: number;
  /** Further arguments of the children. */
  readonly given: readonly string[];
  /** Told of each result as it comes; false leaves what has not been begun. */
  readonly done: (result: Result) => boolean;
}

/** No part of the code is hot enough to be worth the last stage of compilation, which takes a sixth of the time. */
const economy = { BUN_JSC_useFTLJIT: '0' };
const main = join(import.meta.dir, '..', 'main.ts');

/** Resolves when all are done; rejects when a child ends before its task. */
export async function runTasks(tasks: Iterable<Task>, options: PoolOptions): Promise<void> {
  if (options.jobs > 1) return inChildren(tasks, options);
  for (const task of tasks) if (!options.done(await perform(task))) return;
}

async function inChildren(tasks: Iterable<Task>, { jobs, given, done }: PoolOptions) {
  const waiting = tasks[Symbol.iterator]();
  const children = Array.from({ length: jobs }, () => new Child(given));
  let isOver = false;
  const work = async (child: Child): Promise<void> => {
    while (!isOver) {
      const next = waiting.next();
      if (next.done === true) return;
      if (!done(await child.perform(next.value))) isOver = true;
    }
  };
  try {
    await Promise.all(children.map((child) => work(child).finally(() => child.end())));
  } finally {
    for (const child of children) child.end();
  }
}

class Child {
  private readonly process: Subprocess;
  private waiting: PromiseWithResolvers<Result> | undefined;

  constructor(given: readonly string[]) {
    this.process = Bun.spawn([process.execPath, 'run', main, '--worker', ...given], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...economy, ...process.env },
      ipc: (result: Result) => this.waiting?.resolve(result),
      onExit: (_, exitCode, signal) => this.waiting?.reject(ended(signal ?? exitCode)),
    });
  }

  perform(task: Task): Promise<Result> {
    const { exitCode, signalCode } = this.process;
    const how = signalCode ?? exitCode;
    if (how !== null) throw ended(how);
    this.waiting = Promise.withResolvers();
    this.process.send(task);
    return this.waiting.promise;
  }

  end(): void {
    this.process.kill();
  }
}

function ended(how: string | number | null): Error {
  return new Error(`a process of the simulator ended by itself: ${how}`);
}
