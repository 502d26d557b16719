/**
 * Prepared programs, found by their text: a body that differs from an earlier one only in literals and cells is not parsed, checked, bound or planned
 * again. A cache may forget anything at any time; the full path gives the same answer.
 */

import type { Principal } from '#catalog';
import {
  type CachedPlan,
  type KnownProgram,
  oldestOf,
  type PlanCache,
  type PlanKey,
  type PreparedProgram,
} from '#engine';
import { ProgramTemplate, TemplateTrie } from '#wire';
import type { EdgeCounters } from '../edge/counters.ts';

/** What is to be found again. */
interface Planned {
  readonly principal: Principal;
  readonly body: string;
  /** What `body` parsed to, and what `program` was planned from. */
  readonly document: unknown;
  readonly program: PreparedProgram;
  /** The same document in another text, which a hit is to have (`shown`). */
  readonly shown?: string;
}

/** A prepared program, with the parameters of the body that it was found by. */
export class TemplateHit implements KnownProgram {
  readonly plan: CachedPlan;
  readonly parameters: KnownProgram['parameters'];
  private readonly key: TemplateKey;
  private readonly gaps: readonly string[];

  constructor(
    plan: CachedPlan,
    parameters: KnownProgram['parameters'],
    key: TemplateKey,
    gaps: readonly string[],
  ) {
    this.plan = plan;
    this.parameters = parameters;
    this.key = key;
    this.gaps = gaps;
  }

  get program(): PreparedProgram {
    return this.plan.program;
  }

  /** The other text of the document of `body`, which it was found by; `body` itself where none was given. */
  shownText(body: string): string {
    return this.key.template.shownText(body, this.gaps);
  }

  /** Drops the plan: it holds no more. */
  forget(): void {
    this.key.forget();
  }
}

const bodyLengthMax = 48 * 1024;
/** Longer bodies with more gaps than this are bulk data: their time goes into the data, and they hardly come again. */
const shortLength = 16 * 1024;
const gapsMax = 1024;
/** Of the entries of one text, the gaps aside: they are tried one after the other. */
const perTextMax = 16;
const perTextBytesMax = 8 << 20;
/** Classes of visibility with templates. Beyond, the one that was used longest ago loses its own. */
export const classesMax = 256;
/** For each gap of a template: its part of the tree. */
const gapBytes = 512;

export class Templates {
  /** Of one engine. */
  readonly plans: PlanCache;
  /** By visibility, which is looked at before the text; the one that was used last at the end. */
  private readonly classes = new Map<string, TemplateClass>();
  private last: TemplateClass | undefined;
  private readonly counters: EdgeCounters;

  constructor(plans: PlanCache, counters: EdgeCounters) {
    this.plans = plans;
    this.counters = counters;
    counters.templates = 0;
    counters.templateBytes = 0;
  }

  /** `isQuery`: how the body is meant. A text that is right in one way is wrong in the other. */
  find(body: string, isQuery: boolean, principal: Principal): TemplateHit | undefined {
    const found =
      body.length > bodyLengthMax ? undefined : this.classOf(principal)?.trie.find(body, read);
    if (found === undefined || found.program.plan.isQuery !== isQuery) {
      this.counters.templateMisses++;
      return undefined;
    }
    this.counters.templateHits++;
    this.plans.used(found.plan);
    return found;
  }

  add(planned: Planned): void {
    const { body, program } = planned;
    if (body.length > bodyLengthMax || isBulk(planned)) return;
    // Another request may have planned the same meanwhile.
    const { trie, keys } = this.classOf(planned.principal) ?? this.newClass(planned.principal);
    const known = trie.find(body, read);
    known?.forget();
    const template = new ProgramTemplate({ ...planned, ...program.plan });
    const key = new TemplateKey(this.plans, template, (plan, isEvicted) => {
      trie.remove(key.template.text, key);
      keys.delete(key);
      this.dropped(plan, isEvicted);
    });
    const added = this.plans.add(key, program);
    if (added === undefined) return;
    key.plan = added;
    keys.add(key);
    this.counters.templates++;
    this.counters.templateBytes += added.bytes;
    let ofText = trie.add(key.template.text, key).map((one) => one.plan as CachedPlan);
    while (isTooMuch(ofText)) {
      const oldest = oldestOf(ofText);
      ofText = ofText.filter((plan) => plan !== oldest);
      this.plans.evict(oldest);
    }
    this.plans.makeRoom();
  }

  private classOf({ visibility }: Principal): TemplateClass | undefined {
    if (this.last?.visibility === visibility) return this.last;
    const found = this.classes.get(visibility);
    if (found === undefined) return undefined;
    this.classes.delete(visibility);
    this.classes.set(visibility, found);
    this.last = found;
    return found;
  }

  private newClass({ visibility }: Principal): TemplateClass {
    const [oldest] = this.classes.values();
    if (oldest !== undefined && this.classes.size >= classesMax) {
      for (const { plan } of [...oldest.keys]) this.plans.evict(plan as CachedPlan);
      this.classes.delete(oldest.visibility);
    }
    this.last = { visibility, trie: new TemplateTrie(), keys: new Set() };
    this.classes.set(visibility, this.last);
    return this.last;
  }

  private dropped({ bytes }: CachedPlan, isEvicted: boolean): void {
    this.counters.templates--;
    this.counters.templateBytes -= bytes;
    if (isEvicted) this.counters.templateEvictions++;
  }
}

/** The templates of principals that see the same rows. */
interface TemplateClass {
  readonly visibility: string;
  readonly trie: TemplateTrie<TemplateKey>;
  readonly keys: Set<TemplateKey>;
}

/** A template as the key of a plan. */
class TemplateKey implements PlanKey {
  readonly template: ProgramTemplate;
  readonly dropped: PlanKey['dropped'];
  /** Set as soon as the plan is kept. */
  plan: CachedPlan | undefined;
  private readonly plans: PlanCache;

  constructor(plans: PlanCache, template: ProgramTemplate, dropped: PlanKey['dropped']) {
    this.plans = plans;
    this.template = template;
    this.dropped = dropped;
  }

  get retained(): unknown {
    return this.template;
  }

  forget(): void {
    if (this.plan !== undefined) this.plans.remove(this.plan);
  }

  get overheadBytes(): number {
    return this.template.text.segments.length * gapBytes;
  }
}

function isBulk({ body, program }: Planned): boolean {
  if (body.length <= shortLength) return false;
  let gaps = 0;
  for (const source of program.plan.sources) {
    gaps += source?.kind === 'rows' ? source.node.rows.length * source.node.columns.length : 1;
  }
  return gaps > gapsMax;
}

function isTooMuch(ofText: readonly CachedPlan[]): boolean {
  if (ofText.length > perTextMax) return true;
  return ofText.reduce((sum, { bytes }) => sum + bytes, 0) > perTextBytesMax;
}

function read(key: TemplateKey, gaps: readonly string[]): TemplateHit | undefined {
  const { plan, template } = key;
  const parameters = template.read(gaps);
  return plan && parameters && new TemplateHit(plan, parameters, key, gaps);
}
