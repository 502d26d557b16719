/** The goals of the workloads, by the ids of questions and of loads. */

export type Goal =
  /** At most so many times the time of a reference: an engine, `point` (a primary-key read of this server) or `alone` (the same work beside nothing else). */
  | { readonly kind: 'times'; readonly of: Reference; readonly most: number }
  /** At least so much of the rate of a reference. */
  | { readonly kind: 'share'; readonly of: Reference; readonly least: number }
  | { readonly kind: 'ms'; readonly most: number }
  /** Thousand rows per second. */
  | { readonly kind: 'rate'; readonly least: number }
  /** At most so many times what the figure of the smaller size would be if time grew with the rows. */
  | { readonly kind: 'linear'; readonly most: number }
  /** It succeeds. */
  | { readonly kind: 'works' };

export type Reference = 'sqlite' | 'duckdb' | 'postgres' | 'point' | 'alone';

export type Goals = Readonly<Record<string, readonly Goal[]>>;

const times = (of: Reference, most: number): Goal => ({ kind: 'times', of, most });
const share = (of: Reference, least: number): Goal => ({ kind: 'share', of, least });
const works: Goal = { kind: 'works' };

/** The wait for /livez beside each question, in ms on a quiet machine. */
export const livezGoalMs = 50;

export const shopGoals: Goals = {
  load: [share('sqlite', 0.4)],
  'load-indexed': [{ kind: 'rate', least: 120 }],
  'index-blocking': [share('sqlite', 0.4)],
  'index-online': [share('sqlite', 0.4)],
  'reads-beside': [share('alone', 0.5)],
  point: [works],
  'top-product': [times('point', 2)],
  'top-time': [times('point', 3)],
  'top-total': [times('duckdb', 1.5)],
  middle: [works],
  'join-times': [works],
  count: [{ kind: 'ms', most: 10 }],
  sum: [times('duckdb', 1.5), { kind: 'linear', most: 1.3 }],
  'by-category': [times('duckdb', 1.5)],
  'by-user': [times('duckdb', 1.5)],
  'one-city': [times('duckdb', 1.5)],
  distinct: [times('duckdb', 1.5)],
  text: [times('duckdb', 2)],
  nested: [times('sqlite', 1.3)],
  update: [works],
  delete: [works],
  restart: [{ kind: 'ms', most: 5_000 }],
};

/** A page is one request: if SQLite answers it in process at once, it may take a few point reads. */
const onePage = [times('point', 4)];

export const pageGoals: Goals = {
  customer: onePage,
  product: onePage,
  'best-products': [times('duckdb', 2)],
  months: [times('duckdb', 2)],
  posts: onePage,
  thread: onePage,
  replies: onePage,
  member: onePage,
  'top-members': [times('duckdb', 2)],
  unanswered: onePage,
  restart: [{ kind: 'ms', most: 5_000 }],
};
