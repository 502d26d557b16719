/** States that the search of the directory takes for the same can do the same: the steps of a state and those of the one that stands for it agree. */

import { expect, test } from 'bun:test';
import { seededRandom } from '../support/seeded-random.ts';
import type { Part } from './explore.ts';
import { canonicalize } from './local/canonical.ts';
import { localModel } from './local/model.ts';
import { type LocalSetting, localSetting } from './local/setting.ts';
import { partsOf, stateOf } from './local/state.ts';

/** Random walks through all states, each to its end. */
const walks = 12;

const settings = [
  'writers=3',
  'writers=3 commits=2 flushes=2',
  'commits=3 flushes=3 outages=2',
  'losses=1 failures=0',
  'noSeal',
  'noPostCheck writers=3',
  'noManifestDirSync',
  'noListDirSync writers=3',
  'noClaimDirSync',
  'trimFirst',
  'trimUnchecked writers=3',
  'manifestFirst',
  'claimBelowNames losses=1',
];

for (const words of settings) {
  test(`a state and the one that stands for it have the same steps and violations: ${words}`, () => {
    const setting = localSetting(words);
    const whole = localModel(setting, false);
    const reduced = localModel(setting);
    const random = seededRandom(7);
    const seen = new Set<string>();
    for (let walk = 0; walk < walks; walk++) {
      for (let state: readonly Part[] | undefined = whole.initial; state !== undefined; ) {
        const next = whole.successors(state);
        const text = JSON.stringify(state);
        if (!seen.has(text)) {
          seen.add(text);
          const standing = standsFor(setting, state);
          const steps = next.map(({ parts }) => standsFor(setting, parts));
          const reducedSteps = reduced.successors(standing).map(({ parts }) => parts);
          expect(texts(reducedSteps)).toEqual(texts(steps));
          expect(whole.violation(standing)).toBe(whole.violation(state));
        }
        // A power loss has many outcomes, and would else be the next step nearly always.
        const calm = next.filter(({ label }) => /^writer/.test(label));
        const from = calm.length > 0 && random() > 0.03 ? calm : next;
        const isOver: boolean = whole.violation(state) !== '';
        state = isOver ? undefined : from[Math.floor(random() * from.length)]?.parts;
      }
    }
    expect(seen.size).toBeGreaterThan(100);
  });
}

function standsFor(setting: LocalSetting, parts: readonly Part[]): readonly Part[] {
  const state = stateOf(setting, parts);
  canonicalize(state);
  return partsOf(state);
}

const texts = (states: readonly (readonly Part[])[]): readonly string[] =>
  [...new Set(states.map((state) => JSON.stringify(state)))].sort();
