/** The arguments of a command: its options as data, from which parsing and help derive. */
import { parseArgs } from 'node:util';

/** The command was called in the wrong way. Exit code 2. */
export class UsageError extends Error {}

export interface Option {
  /** The placeholder of the value, such as `<date>`. Absent: the option takes no value. */
  value?: string;
  /** The option can be repeated. */
  multiple?: true;
  help: string;
}

export type Options = Record<string, Option>;

/** The parsed arguments of one call. */
export class Arguments {
  private constructor(
    readonly positionals: readonly string[],
    private readonly values: Record<string, unknown>,
  ) {}

  /** @throws UsageError for an unknown option, or an option without its value. */
  static parse(args: string[], options: Options): Arguments {
    const config = Object.entries(options).map(([name, { value, multiple }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: multiple ?? false },
    ]);
    try {
      const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: {
          ...(Object.fromEntries(config) as Record<string, { type: 'boolean' | 'string' }>),
          help: { type: 'boolean', short: 'h' },
        },
      });
      return new Arguments(positionals, values);
    } catch (error) {
      throw new UsageError(messageOf(error));
    }
  }

  has(name: string): boolean {
    return this.values[name] === true;
  }

  text(name: string): string | undefined {
    return this.values[name] as string | undefined;
  }

  list(name: string): string[] {
    return (this.values[name] as string[] | undefined) ?? [];
  }

  /** Returns whether `--name` or `--no-name` is given; undefined without either. @throws UsageError for both. */
  choice(name: string): boolean | undefined {
    const [yes, no] = [this.has(name), this.has(`no-${name}`)];
    if (yes && no) throw new UsageError(`Use --${name} or --no-${name}, not both.`);
    return yes || no ? yes : undefined;
  }

  /** @throws UsageError */
  wholeNumber(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
    throw new UsageError(`--${name} must be a whole number, 0 or more.`);
  }

  /** @throws UsageError */
  date(name: string): Date | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const date = parseDate(text);
    if (!Number.isNaN(date.getTime())) return date;
    throw new UsageError(`--${name} must be a date such as 2030-12-31 or 2030-12-31T18:00:00Z.`);
  }
}

/** Returns an aligned list of options for a help text. */
export function describeOptions(options: Options): string {
  const rows = Object.entries(options).map(([name, { value, help }]) => ({
    option: value === undefined ? `--${name}` : `--${name} ${value}`,
    help,
  }));
  const width = Math.max(...rows.map(({ option }) => option.length));
  return rows.map(({ option, help }) => `  ${option.padEnd(width)}  ${help}`).join('\n');
}

/** Rewords the errors of `parseArgs` for a person at a terminal. */
export function messageOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  const [, option = ''] = /'(-[^' ]*)/.exec(message ?? '') ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `Unknown option ${option}.`;
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE')
    return `Option ${option} ${message?.includes('does not take') ? 'does not take a' : 'requires a'} value.`;
  return message ?? String(error);
}

/** Returns an invalid Date for a day that does not exist: Date reads 2030-02-31 as March 3. */
export function parseDate(text: string): Date {
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? '';
  const start = new Date(`${day}T00:00:00Z`);
  const isInCalendar = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  return new Date(isInCalendar ? text : Number.NaN);
}
