/**
 * Finds prepared programs by their text. A body that differs from an earlier one only in literals and cells is not
 * parsed, checked, bound or planned again. The cache may forget an entry at any time, because the full path returns the
 * same result.
 */

import type { Principal } from '#access';
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

/** A planned program to be cached. */
interface Planned {
  readonly principal: Principal;
  readonly body: string;
  /** The parsed `body`, from which `program` was planned. */
  readonly document: unknown;
  readonly program: PreparedProgram;
  /** The same document in another text form, which a hit must return (`shown`). */
  readonly shown?: string;
}

/** A prepared program, with the parameters of the body by which it was found. */
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

  /** Returns the other text form of the document `body`, or `body` itself if the entry has no other form. */
  shownText(body: string): string {
    return this.key.template.shownText(body, this.gaps);
  }

  /** Drops the plan because it is no longer valid. */
  forget(): void {
    this.key.forget();
  }
}

const bodyLengthMax = 48 * 1024;
/**
 * A longer body with more parameter positions than this is bulk data: most of its time goes into the data, and the same
 * text rarely recurs.
 */
const shortLength = 16 * 1024;
const gapsMax = 1024;
/** Maximum entries, and maximum bytes, of one text without its parameters. Entries of one text are tried one after the other. */
const perTextMax = 16;
const perTextBytesMax = 8 << 20;
/** Maximum number of visibility classes with templates. Beyond it, the least recently used class loses its templates. */
export const classesMax = 256;
/** Bytes of the tree for each parameter position of a template. */
const gapBytes = 512;

export class Templates {
  /** The plans of one engine. */
  readonly plans: PlanCache;
  /** Classes by their key, the most recently used last. The class is selected before the text. */
  private readonly classes = new Map<string, TemplateClass>();
  private last: TemplateClass | undefined;
  private readonly counters: EdgeCounters;

  constructor(plans: PlanCache, counters: EdgeCounters) {
    this.plans = plans;
    this.counters = counters;
    counters.templates = 0;
    counters.templateBytes = 0;
  }

  /**
   * Finds the plan of a body. `isQuery` is the kind of the request: a text that is valid as a query is not valid as a
   * program.
   */
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
    // Another request may have planned the same text in the meantime.
    const ofClass = this.classOf(planned.principal) ?? this.newClass(planned.principal);
    const { trie, keys } = ofClass;
    const known = trie.find(body, read);
    known?.forget();
    const template = new ProgramTemplate({ ...planned, ...program.plan });
    const key = new TemplateKey(this.plans, ofClass.key, template, (plan, isEvicted) => {
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
  }

  private classOf({ visibility: { key } }: Principal): TemplateClass | undefined {
    if (this.last?.key === key) return this.last;
    const found = this.classes.get(key);
    if (found === undefined) return undefined;
    this.classes.delete(key);
    this.classes.set(key, found);
    this.last = found;
    return found;
  }

  private newClass({ visibility: { key } }: Principal): TemplateClass {
    const [oldest] = this.classes.values();
    if (oldest !== undefined && this.classes.size >= classesMax) {
      for (const { plan } of [...oldest.keys]) this.plans.evict(plan as CachedPlan);
      this.classes.delete(oldest.key);
    }
    this.last = { key, trie: new TemplateTrie(), keys: new Set() };
    this.classes.set(key, this.last);
    return this.last;
  }

  private dropped({ bytes }: CachedPlan, isEvicted: boolean): void {
    this.counters.templates--;
    this.counters.templateBytes -= bytes;
    if (isEvicted) this.counters.templateEvictions++;
  }
}

/** The templates of principals that can see the same rows. */
interface TemplateClass {
  readonly key: string;
  readonly trie: TemplateTrie<TemplateKey>;
  readonly keys: Set<TemplateKey>;
}

/** A template as the key of a cached plan. */
class TemplateKey implements PlanKey {
  readonly visibilityClass: string;
  readonly template: ProgramTemplate;
  readonly dropped: PlanKey['dropped'];
  /** The cached plan, set when the plan is cached. */
  plan: CachedPlan | undefined;
  private readonly plans: PlanCache;

  constructor(
    plans: PlanCache,
    visibilityClass: string,
    template: ProgramTemplate,
    dropped: PlanKey['dropped'],
  ) {
    this.plans = plans;
    this.visibilityClass = visibilityClass;
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
