/** A view that is redrawn repeatedly on the terminal of stdout. */

const top = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';
/** Enters the alternate screen, so that leaving it restores the previous content. */
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

export class Screen implements Disposable {
  private isOpen = false;

  /** Returns a screen, or `undefined` if stdout is not a terminal. */
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

  /** Draws the lines. Lines below the end of the screen are omitted. */
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
