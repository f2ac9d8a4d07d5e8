import type { ParsedConfig } from '../../config/schema.js';

/**
 * Returns the site of a host as far as it is known without the list of public suffixes: its last two labels. Two sites of one such suffix
 * look like one.
 */
export function siteOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}

export function isBearerConfigured({ session }: Pick<ParsedConfig, 'session'>): boolean {
  return session.bearer !== false;
}
