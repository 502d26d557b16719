/** Numbers in the format for people. */

/** Formats a rounded integer, such as `1,234`. */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Formats a count with its noun, such as `1 row` or `1,200 rows`. */
export function counted(value: number, what: string): string {
  return `${count(value)} ${what}${value === 1 ? '' : 's'}`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, such as `1.5 KiB` or `20 MiB`. */
export function size(bytes: number): string {
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : value.toFixed(0)} ${units[unit]}`;
}
