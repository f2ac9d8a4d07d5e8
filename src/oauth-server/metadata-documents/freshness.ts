/** For how long a document is used without another request, by its headers (RFC 9111, 4.2). */
import type { IncomingHttpHeaders } from 'node:http';

const minute = 60_000;
const smallestMs = minute;
const usualMs = 10 * minute;
export const greatestMs = 24 * 60 * minute;

/** Returns milliseconds: a minute at least, so that no client costs a request each time, and a day at most. */
export function freshnessOf(headers: IncomingHttpHeaders): number {
  return Math.max(smallestMs, Math.min(greatestMs, statedMs(headers) ?? usualMs));
}

function statedMs(headers: IncomingHttpHeaders): number | null {
  const { age = '0', date = '', expires } = headers;
  const directives = (headers['cache-control'] ?? '').toLowerCase().split(/\s*,\s*/);
  if (directives.some((each) => /^(?:no-store|no-cache|private)\b/.test(each))) return 0;
  const secondsOf = (name: string) => {
    const [, seconds] =
      directives.map((each) => new RegExp(`^${name}="?(\\d{1,10})"?$`).exec(each)).find(Boolean) ?? [];
    return seconds === undefined ? undefined : Number(seconds);
  };
  const seconds = secondsOf('s-maxage') ?? secondsOf('max-age');
  if (seconds !== undefined) return (seconds - (/^\d{1,10}$/.test(age) ? Number(age) : 0)) * 1000;
  if (expires === undefined) return null;
  // The clocks of two computers differ, and a malformed time counts as past.
  const [until, sent] = [Date.parse(expires), Date.parse(date)];
  return Number.isNaN(until) || Number.isNaN(sent) ? 0 : until - sent;
}
