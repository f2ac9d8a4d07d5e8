/** Reads the addresses of a list: one on each line, or lines of a CSV file. */
import { parseEmailAddress } from '../../domain/email-address.js';

export interface ListedAddress {
  /** As it was typed. */
  line: string;
  /** Canonical. Null if the line has none. */
  email: string | null;
  /** Whether a line before has the same address. */
  isRepeated: boolean;
}

/** Of a line with several cells, the ones with an @ count, or else the whole line: `Ada,ada@example.com`, `Ada <ada@example.com>`. */
export function addressesIn(text: string): ListedAddress[] {
  const seen = new Set<string>();
  return text
    .split(/\r\n?|\n/)
    .filter((line) => line.trim() !== '')
    .flatMap((line) => cellsOf(line))
    .map((line) => {
      const email = addressOf(line);
      const isRepeated = email !== null && seen.has(email);
      if (email !== null) seen.add(email);
      return { line, email, isRepeated };
    });
}

function cellsOf(line: string): string[] {
  const cells = line.split(/[,;\t]/).map((cell) => cell.replaceAll('"', '').trim());
  const withAddress = cells.filter((cell) => cell.includes('@'));
  return (withAddress.length > 0 ? withAddress : [line.trim()]).map((cell) => cell.slice(0, 320));
}

function addressOf(cell: string): string | null {
  const [, inBrackets = cell] = /<([^<>]*)>\s*$/.exec(cell) ?? [];
  try {
    return parseEmailAddress(inBrackets.trim());
  } catch {
    return null;
  }
}
