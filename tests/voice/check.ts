/** Sentences of the repository that match a sign, and how many sentences there are. */

import { sentencesOf } from './sentences.ts';
import { fixedTexts, signs } from './signs.ts';
import { type Area, areas, areaTextsOf } from './texts.ts';

export interface Hit {
  readonly area: Area;
  readonly path: string;
  /** Of the text that the sentence is part of, counted from 1. */
  readonly line: number;
  readonly sentence: string;
  readonly signs: readonly string[];
}

export interface Findings {
  readonly hits: readonly Hit[];
  readonly sentences: Readonly<Record<Area, number>>;
}

export function signsOf(sentence: string, area: Area): readonly string[] {
  if (fixedTexts.some((text) => sentence.startsWith(text))) return [];
  return signs
    .filter((sign) => sign.areas === undefined || sign.areas.includes(area))
    .filter(({ pattern }) => pattern.test(sentence))
    .map(({ name }) => name);
}

export function check(
  files: readonly { readonly path: string; readonly text: string }[],
): Findings {
  const hits: Hit[] = [];
  const sentences = Object.fromEntries(areas.map((area) => [area, 0])) as Record<Area, number>;
  for (const { path, text: content } of files) {
    for (const { area, line, text } of areaTextsOf(path, content)) {
      for (const sentence of sentencesOf(text)) {
        sentences[area]++;
        const found = signsOf(sentence, area);
        if (found.length > 0) hits.push({ area, path, line, sentence, signs: found });
      }
    }
  }
  return { hits, sentences };
}
