/** Colors for stdout and stderr separately, because one can be a terminal while the other is a file. */

import { styleText } from 'node:util';

type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

export type Paint = (style: Style, text: string) => string;

/** Styles text for stdout. */
export const paintOutput: Paint = (style, text) =>
  styleText(style, text, { stream: process.stdout });

/** Styles text for stderr. */
export const paintMessage: Paint = (style, text) =>
  styleText(style, text, { stream: process.stderr });
