/**
 * `npm run bench` measures svc-auth against bare Express, `npm run bench -- --databases` on each database against its bare
 * driver, `npm run bench -- --peers` against other libraries. Every figure is a ratio of two measurements of the same run.
 * `--help` lists the options. Needs only Node, npm to install packages, and `mariadbd` for the figures of MariaDB.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { databaseKinds, startDatabases } from './database-servers.js';
import {
  databaseGroups,
  groups,
  measureGroup,
  type Group,
  type GroupName,
  type Result,
  type Subject,
} from './figures.js';
import { measureGrowth } from './growth.js';
import { installPeers, peerSites, peerStacks } from './peers.js';
import * as report from './report.js';
import { SiteProcesses, type SiteSource } from './site-process.js';
import { standard, variants } from './variants.js';
import { ownStack, weigh, type Weight } from './weight.js';

const help = `npm run bench -- [options]
  --peers          compare with Passport, Auth.js and better-auth
  --databases      compare PostgreSQL, MariaDB and SQLite with their bare drivers
  --only <list>    measure some of: session, stateless, login, signup, code, growth, weight
  --rounds <n>     rounds per figure, after a warm-up (default 5)
  --seconds <n>    length of a measurement; bcrypt takes twice as long (default 1.5)
  --users <n>      users of the large database of "growth" (default 1000000)
  --markdown       print the tables as Markdown
  --write          write the tables into docs/performance.md and README.md`;

const { values: options } = parseArgs({
  options: {
    peers: { type: 'boolean', default: false },
    databases: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    users: { type: 'string', default: '1000000' },
    markdown: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const effort = { rounds: positive('rounds'), seconds: positive('seconds') };
const users = positive('users');
/** How often each library is started: an odd number, 9 by default. */
const starts = 2 * effort.rounds - 1;
const topics = [...(Object.keys(groups) as GroupName[]), 'growth', 'weight'] as const;
const only = options.only?.split(',') ?? topics;
const unknown = only.filter((name) => !topics.some((topic) => topic === name));
if (unknown.length > 0) throw new Error(`Unknown in --only: ${unknown.join(', ')}\n${help}`);

if (options.write && options.only)
  throw new Error('--write needs all topics: it would leave gaps in the tables.');

if (options.help) console.log(help);
else await main();

async function main(): Promise<void> {
  if (options.peers) await installPeers();
  const databases = await startDatabases(options.databases ? databaseKinds : ['PostgreSQL']);
  const sites = new SiteProcesses(databases);
  try {
    const tables = await compare(sites);
    for (const table of tables) {
      console.log(`\n${options.markdown ? report.toMarkdown(table) : report.toText(table)}`);
    }
    if (!options.write) return;
    await report.writeTables(new URL('../docs/performance.md', import.meta.url), tables);
    await report.writeTables(new URL('../README.md', import.meta.url), tables);
  } finally {
    sites.stop();
    await databases.stop();
  }
}

function compare(sites: SiteProcesses): Promise<report.Table[]> {
  if (options.databases) return compareDatabases(sites);
  return options.peers ? comparePeers(sites) : compareVariants(sites);
}

async function compareDatabases(sites: SiteProcesses): Promise<report.Table[]> {
  if (!databaseKinds.includes('MariaDB')) console.error('MariaDB is left out: it is not installed.');
  const subjectsOf = (variant: string, suffix = '') => {
    const { source, bare } = ownSubject(variant);
    return databaseKinds.map((on) => ({
      label: on + suffix,
      source: { ...source, on },
      bare: { ...bare, on },
    }));
  };
  const results = await measureSelected(sites, databaseGroups, (name) =>
    // The rest of a sign-in takes much longer than what another server saves.
    name === 'session'
      ? [...subjectsOf(standard), ...subjectsOf('Express 5, expressServer', ', expressServer')]
      : subjectsOf(standard),
  );
  return [report.databaseTable(results, `Median (lowest–highest) of ${described()}`)];
}

async function compareVariants(sites: SiteProcesses): Promise<report.Table[]> {
  const subjects = Object.keys(variants).map(ownSubject);
  const results = await measureSelected(sites, groups, (name) =>
    // bcrypt takes almost all of the time of the others, whatever the variant.
    name === 'login' || name === 'signup' ? [ownSubject(standard)] : subjects,
  );
  const growth: Result[] = [];
  if (isSelected('growth')) growth.push(...(await measureGrowth(sites, ownSource(standard), users, effort)));
  const weights = await selectedWeights(sites, async (folder) => [await ownStack(folder)]);
  const caption = `Median (lowest–highest) of ${described()}`;
  return [
    report.sessionTable(results, caption),
    report.signInTable(results, caption),
    report.growthTable(growth, users, caption),
    report.weightTable(weights, `Medians of ${starts} starts: ${circumstances()}`),
  ].filter(({ rows }) => rows.length > 0);
}

async function comparePeers(sites: SiteProcesses): Promise<report.Table[]> {
  const { bare } = ownSubject(standard);
  const subjects = [
    ...Object.entries(variants).flatMap(([name, { column }]) =>
      column === undefined ? [] : [{ ...ownSubject(name), label: column }],
    ),
    ...peerSites.map((peer) => ({ ...peer, bare })),
  ];
  const results = await measureSelected(sites, groups, () => subjects);
  const weights = await selectedWeights(sites, async (folder) => [
    await ownStack(folder),
    ...(await peerStacks()),
  ]);
  const caption = `Median of ${described()}`;
  return [report.peerTable(results, weights, caption), report.readmeTable(results, weights)];
}

function ownSource(variant: string): SiteSource {
  return { module: './servers/svc-auth.ts', args: [variant] };
}

function ownSubject(label: string): Subject {
  const bare = { module: './servers/bare.ts', args: [String(variants[label]?.express)] };
  return { label, source: ownSource(label), bare };
}

/** Measures the selected groups in turn; `subjectsOf` names the servers of a group. */
async function measureSelected(
  sites: SiteProcesses,
  measured: Partial<Record<GroupName, Group>>,
  subjectsOf: (name: GroupName) => readonly Subject[],
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [name, group] of Object.entries(measured) as [GroupName, Group][]) {
    if (isSelected(name)) results.push(...(await measureGroup(sites, group, subjectsOf(name), effort)));
  }
  return results;
}

async function selectedWeights(
  { databases }: SiteProcesses,
  stacksIn: Parameters<typeof weigh>[0],
): Promise<Weight[]> {
  return isSelected('weight') ? weigh(stacksIn, (name) => databases.create('PostgreSQL', name), starts) : [];
}

/** Returns whether the options include a topic, and logs the beginning of its measurement. */
function isSelected(topic: (typeof topics)[number]): boolean {
  const isIncluded = only.includes(topic);
  if (isIncluded) console.error(`${new Date().toLocaleTimeString('en-US')}  ${topic}`);
  return isIncluded;
}

function described(): string {
  const { rounds, seconds } = effort;
  return `${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${seconds} s: ${circumstances()}`;
}

function circumstances(): string {
  const date = new Date().toLocaleDateString('en-US', { dateStyle: 'long' });
  const option = options.databases ? ' -- --databases' : options.peers ? ' -- --peers' : '';
  const command = `npm run bench${option}`;
  return `${availableParallelism()} cores, ${cpus()[0]?.model.trim()}, Node ${process.version}, ${date}, \`${command}\`.`;
}

function positive(name: 'rounds' | 'seconds' | 'users'): number {
  const value = Number(options[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0.\n${help}`);
  return value;
}
