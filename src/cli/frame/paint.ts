/** Colours, each stream for itself: one may be a terminal while the other is a file. */

import { styleText } from 'node:util';

type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

export type Paint = (style: Style, text: string) => string;

/** What is printed to stdout. */
export const paintOutput: Paint = (style, text) =>
  styleText(style, text, { stream: process.stdout });

/** What is said on stderr. */
export const paintMessage: Paint = (style, text) =>
  styleText(style, text, { stream: process.stderr });
