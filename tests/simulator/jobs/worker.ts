/** A child of the pool: takes task after task until its parent is gone. */

import { perform, type Task } from './task.ts';

export function work(): Promise<number> {
  // Ctrl-C goes to all processes of a terminal: the parent decides what it means.
  process.on('SIGINT', () => {});
  process.on('message', (task: Task) => {
    void perform(task).then((result) => process.send?.(result));
  });
  return new Promise((resolve) => process.on('disconnect', () => resolve(0)));
}
