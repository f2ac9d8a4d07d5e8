/** What the doctor finds, and what its checks read. */
import type { IncomingMessage } from 'node:http';
import type { ParsedConfig } from '../../config/schema.js';
import type { ServiceInternals } from '../../core/internals.js';
import type { ExaminedApp } from './express-app.js';

export type FindingSeverity = 'error' | 'warning' | 'hint';

/** A mistake that the doctor has found. It contains no secrets. */
export interface Finding {
  /** Stable, such as `secret_weak`: docs/operate.md lists all of them. */
  id: string;
  /** `error`: something does not work, or is open to an attack. `warning`: it will, under load or with time. */
  severity: FindingSeverity;
  /** What is wrong, and where. */
  title: string;
  /** Why it matters. */
  why: string;
  /** The line to change. */
  fix: string;
}

/** A request of Express. */
export type ExaminedRequest = IncomingMessage & {
  app?: unknown;
  body?: unknown;
  protocol?: string;
  res?: { getHeader?(name: string): unknown };
  secure?: boolean;
};

export interface Examined {
  readonly config: ParsedConfig;
  readonly internals: ServiceInternals;
  readonly app: ExaminedApp | null;
  readonly request: ExaminedRequest | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isProduction: boolean;
}

/** Severity and reason of each finding of a family, by its id. */
export type FindingKinds = Readonly<Record<string, { severity: FindingSeverity; why: string }>>;

/** One family of checks. */
export interface Family {
  readonly kinds: FindingKinds;
  /** Checks by name. Each runs with a timeout. */
  readonly checks: Readonly<Record<string, (examined: Examined) => Found[] | Promise<Found[]>>>;
}

/** A finding without what its kind says. */
export interface Found {
  id: string;
  title: string;
  fix: string;
}
