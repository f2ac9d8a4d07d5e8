/**
 * Domains of disposable addresses. The list is a package that the application installs and updates, or its own; no other server is
 * asked. The answer depends on the address alone.
 */
import * as z from 'zod';
import { loadDisposableDomains } from '../../runtime/load.js';

const domainNames = () => z.array(z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain name'));

export const disposableOptions = z.strictObject({
  refuse: z
    .boolean()
    .default(false)
    .describe(
      'Whether addresses of disposable domains, and of their subdomains, may not sign up. Existing users with such an address still sign in.',
    ),
  list: domainNames()
    .optional()
    .describe(
      'The domains to refuse, in ASCII and lower case, instead of those of the package `disposable-email-domains-js`.',
    ),
  except: domainNames()
    .default([])
    .describe('Domains that may sign up although they, or a domain above them, are in the list.'),
});

type Options = z.output<typeof disposableOptions>;

export class DisposableDomains {
  private readonly refused: ReadonlySet<string>;
  private readonly allowed: ReadonlySet<string>;

  constructor({ refuse, list, except }: Options) {
    this.refused = refuse ? new Set(list ?? loadDisposableDomains()) : new Set();
    this.allowed = new Set(except);
  }

  /** Whether no domain is refused. */
  get isEmpty(): boolean {
    return this.refused.size === 0;
  }

  /** Returns whether the domain of an address, or a domain above it, is refused. The closest entry decides. */
  include(email: string): boolean {
    if (this.isEmpty) return false;
    for (let domain = email.slice(email.lastIndexOf('@') + 1); domain !== '';) {
      if (this.allowed.has(domain)) return false;
      if (this.refused.has(domain)) return true;
      const dot = domain.indexOf('.');
      domain = dot === -1 ? '' : domain.slice(dot + 1);
    }
    return false;
  }
}
