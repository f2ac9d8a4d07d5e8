/** What is measured, and what it is compared with. */
import { bcryptAlone, codeRoundTrip, login, read, signUp, type Amount } from './loads.js';
import { measureInRounds, ratioOf, type Ratio, type Target } from './rounds.js';
import type { RunningSite, SiteProcesses, SiteSource } from './site-process.js';

export type Load = 'session' | 'protected' | 'accessToken' | 'stateless' | 'login' | 'signUp' | 'code';

export const loadLabels: Readonly<Record<Load, string>> = {
  session: 'Session check',
  protected: 'Protected route',
  accessToken: 'Route behind an access token',
  stateless: 'Protected route without a query',
  login: 'Login',
  signUp: 'Sign-up',
  code: 'Code sent, read and verified',
};

export interface Group {
  loads: readonly Load[];
  connections: readonly number[];
  /** What the loads are compared with, in the words of the tables. */
  reference: string;
  /** Measures the reference. Default: the same load on the server with the bare routes. */
  measureReference?: (amount: Amount) => Promise<number>;
  /** Measured twice as long, because bcrypt does little per second. */
  slow?: boolean;
}

const code: Group = {
  loads: ['code'],
  connections: [16],
  reference: 'four prepared statements without limits',
};

/** The loads of a group share a reference and are measured in the same rounds. */
export const groups = {
  session: {
    loads: ['session', 'protected', 'accessToken'],
    connections: [1, 16, 64],
    reference: 'one prepared `SELECT`',
  },
  stateless: {
    loads: ['stateless'],
    connections: [1, 16, 64],
    reference: '`cookie-parser` and `jsonwebtoken`',
  },
  login: {
    loads: ['login'],
    connections: [16],
    reference: '`bcrypt.compare` alone',
    measureReference: (amount) => bcryptAlone('compare', amount),
    slow: true,
  },
  signup: {
    loads: ['signUp'],
    connections: [16],
    reference: '`bcrypt.hash` alone',
    measureReference: (amount) => bcryptAlone('hash', amount),
    slow: true,
  },
  code,
} satisfies Record<string, Group>;
export type GroupName = keyof typeof groups;

/** The groups of `--databases`, whose references all ask the database. */
export const databaseGroups: Partial<Record<GroupName, Group>> = {
  session: { ...groups.session, loads: ['session'] },
  login: {
    loads: ['login'],
    connections: [16],
    reference: 'one prepared `SELECT` and `bcrypt.compare`',
    slow: true,
  },
  code,
};

/** A server under load, and the server with its bare reference. */
export interface Subject {
  label: string;
  source: SiteSource;
  bare: SiteSource;
}

export interface Result {
  load: Load;
  subject: string;
  /** What it is compared with. */
  reference: string;
  connections: number;
  ratio: Ratio;
}

export interface Effort {
  rounds: number;
  seconds: number;
}

/** Measures a group for every subject that offers it. */
export async function measureGroup(
  sites: SiteProcesses,
  group: Group,
  subjects: readonly Subject[],
  { rounds, seconds }: Effort,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const connections of group.connections) {
    const amount = { connections, seconds: group.slow ? 2 * seconds : seconds };
    const targets = new Map<string, Target>();
    const pairs: { load: Load; subject: string; target: string; reference: string }[] = [];
    const add = (target: Target) => void targets.set(target.name, target);
    for (const { label, source, bare } of subjects) {
      const [site, bareSite] = [await sites.get(source), await sites.get(bare)];
      for (const load of group.loads.filter((each) => site.site[each])) {
        const [target, reference] = [`${label} ${load}`, `bare ${JSON.stringify(bare)}`];
        add(targetOf(target, site, load, amount));
        add(
          group.measureReference
            ? { name: reference, measure: () => group.measureReference!(amount) }
            : targetOf(reference, bareSite, load, amount),
        );
        pairs.push({ load, subject: label, target, reference });
      }
    }
    const samples = await measureInRounds([...targets.values()], rounds);
    for (const { load, subject, target, reference } of pairs) {
      const ratio = ratioOf(samples, target, reference);
      results.push({ load, subject, reference: group.reference, connections, ratio });
    }
  }
  return results;
}

/**
 * How often each server does its work before it is measured. V8 compiles what has run often; a server that does little per second would
 * otherwise be measured while it is new, and the reference would not.
 */
const warmUpOperations: Readonly<Record<Load, number>> = {
  session: 5_000,
  protected: 5_000,
  accessToken: 5_000,
  stateless: 5_000,
  login: 1_000,
  signUp: 1_000,
  code: 3_000,
};

/** Returns the load of a server as a target, with its warm-up. */
export function targetOf(
  name: string,
  site: RunningSite,
  load: Load,
  amount: { connections: number; seconds: number },
): Target {
  const { connections } = amount;
  return {
    name,
    measure: () => rateOf(site, load, amount),
    warmUp: () => rateOf(site, load, { connections, operations: warmUpOperations[load] }),
  };
}

/** Measures one load of a server. */
function rateOf(to: RunningSite, load: Load, amount: Amount): Promise<number> {
  if (load === 'login') return login(to, amount);
  if (load === 'signUp') return signUp(to, amount);
  if (load === 'code') return codeRoundTrip(to, amount);
  const call = to.site[load];
  if (!call) throw new Error(`${to.origin} has no ${load}.`);
  return read(to.origin, call, amount);
}
