/** What routers and pages check of their options when they are created: one error lists every fault. */
import { ConfigError } from '../../errors/catalog.js';
import type { ConfigFault } from '../../errors/catalog.js';
import { unknownOption } from '../../errors/closest-name.js';

/**
 * Collects the faults of options. An option with a misspelled name would have no effect, so unknown names are faults.
 * @param owner the call, such as `createPages`.
 */
export class OptionFaults {
  private readonly faults: ConfigFault[] = [];

  constructor(private readonly owner: string) {}

  check(isRight: boolean, option: string, message: string): void {
    if (!isRight) this.faults.push({ path: `${this.owner}(service, { ${option} })`, message });
  }

  /** Returns the options, or an empty object if they are null or undefined. @throws ConfigError if they are not an object. */
  of<Options extends object>(options: Options | null | undefined): Partial<Options> {
    if (options === null || options === undefined) return {};
    if (isObject(options)) return options;
    throw new ConfigError([
      { path: `${this.owner}(…)`, message: 'must be called with an object of options' },
    ]);
  }

  /** Returns the entries of an option that is an object with keys of any name; none if it is absent or malformed. */
  entries(value: unknown, option: string): [string, unknown][] {
    if (value === undefined) return [];
    this.check(isObject(value), option, 'must be an object');
    return isObject(value) ? Object.entries(value) : [];
  }

  milliseconds(value: unknown, option: string): void {
    const isRight = Number.isFinite(value) && (value as number) > 0;
    this.check(isRight, option, 'must be a number of milliseconds above 0');
  }

  /** @param others the options that are left after the known ones were removed. @param names those of the known ones. */
  unknown(others: object, names: readonly string[]): void {
    for (const [name, value] of Object.entries(others)) if (value !== undefined) this.named(name, names);
  }

  /** @param within the option that has an entry of this name, with a period; the call itself by default. */
  named(name: string, names: readonly string[], within = ''): void {
    this.check(names.includes(name), within + name, unknownOption(name, names));
  }

  /** @throws ConfigError with every fault. */
  throwIfAny(): void {
    if (this.faults.length > 0) throw new ConfigError(this.faults);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
