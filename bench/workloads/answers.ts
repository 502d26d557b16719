/** Answers of different engines, compared: rows by their values alone. */

/** Of the larger number: sums of float64 depend on their order. */
const tolerance = 1e-9;

export function agree(left: unknown, right: unknown): boolean {
  return areAlike(plain(answerOf(left)), plain(answerOf(right)));
}

/** The text of an answer over HTTP is an object with the result; a result of one row is no list. */
function answerOf(answer: unknown): unknown {
  if (typeof answer !== 'string') return answer;
  const { result } = JSON.parse(answer) as { result: unknown };
  return Array.isArray(result) ? result : result === null ? [] : [result];
}

type Plain = number | string | null | readonly Plain[];

function plain(value: unknown): Plain {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) return Object.values(value).map(plain);
  if (typeof value !== 'string') return null;
  // Numbers that another engine writes as texts, and JSON that it keeps as one.
  if (/^[[{]/.test(value)) return plain(JSON.parse(value));
  return value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
}

function areAlike(left: Plain, right: Plain): boolean {
  if (typeof left === 'number' && typeof right === 'number') {
    return Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right));
  }
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((part, i) => areAlike(part, right[i] as Plain));
}
