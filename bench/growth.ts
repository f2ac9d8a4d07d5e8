/** The same load with few users and with many, on two databases of one PostgreSQL. */
import knexPackage from 'knex';
import { targetOf, type Effort, type Result } from './figures.js';
import { measureInRounds, ratioOf } from './rounds.js';
import { fill } from './scale-data.js';
import type { RunningSite, SiteProcesses, SiteSource } from './site-process.js';

const connections = 16;
export const fewUsers = 1_000;

/** Returns the rate with `manyUsers` as a ratio to the rate with a thousand. */
export async function measureGrowth(
  sites: SiteProcesses,
  source: SiteSource,
  manyUsers: number,
  { rounds, seconds }: Effort,
): Promise<Result[]> {
  const few = await filledSite(sites, source, fewUsers);
  const many = await filledSite(sites, source, manyUsers);
  const results: Result[] = [];
  for (const load of ['session', 'code'] as const) {
    const amount = { connections, seconds };
    const targets = [targetOf('few', few, load, amount), targetOf('many', many, load, amount)];
    const samples = await measureInRounds(targets, rounds);
    const ratio = ratioOf(samples, 'many', 'few');
    results.push({ load, subject: 'growth', reference: `${fewUsers} users`, connections, ratio });
  }
  return results;
}

async function filledSite(sites: SiteProcesses, source: SiteSource, users: number): Promise<RunningSite> {
  const site = await sites.get(source, `${users} users`);
  const knex = knexPackage({ client: 'pg', connection: site.database });
  try {
    await fill(knex, { users, sessions: 2 * users, orgs: Math.ceil(users / 10) });
  } finally {
    await knex.destroy();
  }
  return site;
}
