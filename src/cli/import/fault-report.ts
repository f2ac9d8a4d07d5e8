/** Collects the faults of an import: the first ones for the screen, all of them for a file of CSV or lines of JSON. */
import { withoutFormula } from '../../core/support/spreadsheet-cell.js';
import { closeSync, openSync, writeSync } from 'node:fs';
import { UsageError } from '../arguments.js';
import { printable } from '../format.js';
import type { PlacedFault } from './mapped-users.js';

const mostShown = 10;
const columns = ['place', 'externalId', 'reason', 'field', 'message'] as const;

export class FaultReport {
  readonly first: PlacedFault[] = [];
  readonly reasons = new Map<string, number>();
  total = 0;
  private file: number | null = null;
  private readonly isJson: boolean;

  /** @throws UsageError unless the name of the file ends with .csv or .jsonl. */
  constructor(private readonly path: string | undefined) {
    if (path !== undefined && !/\.(?:csv|jsonl)$/i.test(path))
      throw new UsageError('--report must be a file whose name ends with .csv or .jsonl.');
    this.isJson = path?.toLowerCase().endsWith('.jsonl') ?? false;
  }

  /** Begins again, for the next pass. @throws UsageError if the file cannot be written. */
  begin(): void {
    this.close();
    [this.first.length, this.total] = [0, 0];
    this.reasons.clear();
    if (this.path === undefined) return;
    try {
      // For its owner alone: it has the ids of users.
      this.file = openSync(this.path, 'w', 0o600);
    } catch {
      throw new UsageError('The file of --report cannot be written.');
    }
    if (!this.isJson) this.write(columns.join(','));
  }

  add(fault: PlacedFault): void {
    this.total++;
    this.reasons.set(fault.reason, (this.reasons.get(fault.reason) ?? 0) + 1);
    if (this.first.length < mostShown) this.first.push(fault);
    const values = columns.map((name) => fault[name] ?? '');
    if (this.isJson)
      this.write(JSON.stringify(Object.fromEntries(columns.map((name, at) => [name, values[at]]))));
    else this.write(values.map(csvField).join(','));
  }

  close(): void {
    if (this.file !== null) closeSync(this.file);
    this.file = null;
  }

  private write(line: string): void {
    if (this.file !== null) writeSync(this.file, `${line}\n`);
  }
}

/** The ids are those of the old system's users. */
export function csvField(value: string): string {
  return `"${printable(withoutFormula(value)).replaceAll('"', '""')}"`;
}
