/**
 * Signs of English that has to be read twice, one for each mistake. Each pattern is matched against one sentence, from which code spans, flags and identifiers
 * have been removed.
 */

import type { Area } from './texts.ts';

export interface Sign {
  readonly name: string;
  readonly pattern: RegExp;
  /** Areas that the sign applies to; `undefined` if it applies to all. */
  readonly areas?: readonly Area[];
}

export const signs: readonly Sign[] = [
  // An opening that names nothing.
  {
    name: 'what-opening',
    pattern: /^(and |or |but )?(What|Whatever|Who|Whoever|Whose)\b(?!.*\?$)/,
  },
  // A relative clause in the place of a noun.
  {
    name: 'headless-what',
    pattern:
      /\b(of|for|by|with|from|to|in|on|than|beside|beyond|besides|about|after|before|behind|below|above|and|or|but|is|are|as|not) (what|whatever|whom|whomever)\b(?! (kind|type|sort|if)\b)|\bby (why|whether)\b|\bfor want of\b/,
  },
  { name: 'people', pattern: /\b(nobody|somebody|everybody|anybody|whoever|someone else)\b/i },
  {
    name: 'those-that',
    pattern:
      /(^|[;:(] ?|\b(for|of|by|to|as|like|from|with|than) )those (that|who|whose)\b|(^|[,;:] (and |or |but )?)(the )?ones? (that|who|whose|which)\b|\bthe one (that|who)\b/i,
  },
  // A fragment in the place of a sentence.
  {
    name: 'fragment',
    pattern:
      /^(Of|By(?=( \S+){3})|As|Beyond|Besides|Beside|Behind|Such|To be|With what|In which|At which|From which|Likewise|Neither)\b(?! (course|default|always|yet|on|soon|early|part of)\b)/,
    areas: ['comments', 'help'],
  },
  { name: 'absent-fragment', pattern: /^Absent\b|\bAbsent: /, areas: ['comments', 'help'] },
  // A placeholder in the place of the quantity or the noun.
  {
    name: 'so-many',
    pattern:
      /(?<!\b(twice|times|half|just|nearly|about) )\b([Ss]o|[Aa]s) (many|much|few|long|often)\b(?! (as|that)\b)(?! [a-z-]+ (as|that)\b)|\b(by|after|within|for) so (large|long|many|much)\b/,
  },
  {
    name: 'the-same',
    pattern: /(^|[:;,] |\bas )the same(?=[.,;:)]| (for|of|by|with|where|beside)\b|$)/i,
  },
  {
    name: 'as-it-is',
    pattern: /\bas (it|they) (is|are|was|were|stands?|stood|came|comes?|lies?|lie)\b/i,
  },
  // Things that speak or know.
  {
    name: 'thing-says',
    pattern:
      /\b(says|say|said) (so|of|what|which|whether|where|why|more|nothing|something|anything)\b|\bsays?, |\b(is|are) said\b/i,
  },
  {
    name: 'told',
    pattern:
      /\b(is|are|be|was|were|been|being|not) told\b|\btold (of|apart|alone|by|once|what|which|that|when)\b|\bTold\b|\b(tells?|telling) (of|nobody|somebody|apart)\b|\bto tell of\b/,
  },
  // Words of a private vocabulary for things that have a standard name.
  {
    name: 'no-x',
    pattern:
      /(?<!\bthere )\b(is|are|was|were|be) (no|none)\b(?! (longer|more|less|fewer|later|earlier|larger|such|slower|faster)\b)|\b(takes?|took) no\b/i,
  },
  {
    name: 'is-there',
    pattern:
      /\b(is|are|was|were|be|been|being) (not |no longer |still |already |once )?there(?=[ .,;:)]|$)(?! (is|are|was|were|a|an|any|no|may|can|will|has|have)\b)/i,
  },
  {
    name: 'way',
    pattern:
      /\b(on (its|their|his) way|on the way|the ways? out|ways? around|goes the way|by the way|no way|in the way of|goes its way|ways? (that there|in which))\b/i,
  },
  { name: 'goes-on', pattern: /\b(goes|go|going|went) on\b/i },
  {
    name: 'anew',
    pattern:
      /\b(anew|for ever|begun again|at hand|in vain|all the same|as ever|be it|for the sake|sake of|mend(ed|s)?)\b/i,
  },
  {
    name: 'look',
    pattern:
      /\b(a|one|two|each|every|last|first|another|between) looks?\b(?! up)|\b(looks?|looked|looking) (at|whether|now|through)\b/i,
  },
  {
    name: 'stands-lies',
    pattern:
      /\b(stands?|stood) (in|on|at|beside|between|before|behind|above|below|under|where|there|together|inside|outside|alone|as|by|one|first|last|next|so|still)\b|\b(lies|lie|lay) (beside|behind|there|where|together|as|so|one|still|side|apart)\b/i,
  },
  {
    name: 'let-go',
    pattern:
      /\b(lets?|letting) (go|in)\b|\bput(s|ting)? (down|aside)\b|\btake[ns]? (back|up)\b|\btook (back|up)\b|\b(gives?|given|gave|giving) way\b|\bheld (back|whole)\b/i,
  },
  {
    name: 'comes',
    pattern:
      /\bbec(o|a)mes? of\b|\bcomes? (of it|again|with it|of that|of them|in between)\b|\b(has|have|had) come\b(?! from)|\bthat comes?\b(?! (from|after|before|next|with|first|last)\b)/i,
  },
  { name: 'own', pattern: /\bof (its|their|our|your|one's) own\b/i },
  { name: 'beside', pattern: /\bbesides?\b/i },
  {
    name: 'at-its-end',
    pattern:
      /\bat (its|their|a|each|every) (end|stop|start|opening|beginning|ends)\b(?! of\b)|\bto its end\b|\b(is|are|was|were) (over|at an end)\b(?! \d)/i,
  },
  {
    name: 'house-word',
    pattern:
      /\b(dear(er|est)?|colleagues?['’]?s?|newcomers?|strangers?|neighbours?|vouch(es)?|spoilt|unasked|somebody['’]s|nobody['’]s|(find|finds|found) (no )?room|(a|the) thing|hither|thither|whence|swept away|trouble|patience|crowd)\b/i,
  },
];

/** Texts of the public contract, which keep their words. A sentence that begins with one is not checked. */
export const fixedTexts: readonly string[] = [
  'server is ahead of local accepted state',
  'local accepted state is ahead of server',
  'schema history diverged',
  'svc.schema.yaml contains unapplied changes',
  'a generated client is missing or out of date',
  'expected exactly one row',
  'no answer from the server',
  'Data loss',
  'Cannot apply',
  'Schema changes',
  'No schema changes',
];
