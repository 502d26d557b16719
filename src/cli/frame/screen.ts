/** A view that is drawn again and again on the terminal behind stdout. */

const top = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';
/** A screen of its own, so that what was there before comes back. */
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

export class Screen implements Disposable {
  private isOpen = false;

  /** Undefined where stdout is no terminal. */
  static of(stdout: NodeJS.WriteStream = process.stdout): Screen | undefined {
    return stdout.isTTY ? new Screen(stdout) : undefined;
  }

  private readonly stdout: NodeJS.WriteStream;

  private constructor(stdout: NodeJS.WriteStream) {
    this.stdout = stdout;
  }

  get columns(): number {
    return this.stdout.columns || 80;
  }

  /** What does not fit below is left out. */
  draw(lines: readonly string[]): void {
    const shown = lines.slice(0, Math.max(1, (this.stdout.rows || 24) - 1));
    const begin = this.isOpen ? '' : enter;
    this.isOpen = true;
    this.stdout.write(
      `${begin}${top}${shown.map((line) => line + clearLine).join('\n')}\n${clearBelow}`,
    );
  }

  [Symbol.dispose](): void {
    if (this.isOpen) this.stdout.write(leave);
    this.isOpen = false;
  }
}
