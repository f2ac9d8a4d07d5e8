/** What the test of a move has around it: a database, a port that the browsers know, and the application that runs. */
import { freePort } from '../../support/free-port.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import { createDatabase, type TestDatabase } from '../../support/postgres.js';
import { startApplication, type Application } from './application.js';

export interface MoveScene {
  readonly databaseUrl: string;
  readonly port: number;
  /** Ends the application that runs, if any, and starts another one at the same address. */
  start(program: string, env: Readonly<Record<string, string>>): Promise<Application>;
  /** Ends the application that runs: nothing changes the database while users are moved. */
  stop(): Promise<void>;
}

/** Call it in a `describe`. */
export function moveScene(): MoveScene {
  let database: TestDatabase;
  let port: number;
  let application: Application | undefined;
  const stop = async () => application?.stop();

  beforeAll(async () => {
    database = await createDatabase();
    port = await freePort();
  });
  afterAll(async () => {
    await stop();
    await database.drop();
  });
  return {
    get databaseUrl() {
      return database.url;
    },
    get port() {
      return port;
    },
    async start(program, env) {
      await stop();
      return (application = await startApplication(program, env, port));
    },
    stop,
  };
}

export interface GoogleScene {
  /** The provider that redirects to the old application. */
  readonly before: OidcServer;
  /** The same accounts, with the address to which the moved application is redirected. */
  readonly after: OidcServer;
}

/**
 * Google, in a scene. Call it in the same `describe`, after `moveScene`.
 * @param oldCallback path of the old application to which Google redirects.
 * @param names of the people who have an account at Google: that of `grace` has the id `grace-1`.
 */
export function googleOf(scene: MoveScene, oldCallback: string, names: readonly string[] = []): GoogleScene {
  let before: OidcServer;
  let after: OidcServer;
  beforeAll(async () => {
    const serverFor = (callback: string) => startOidcServer(`http://localhost:${scene.port}${callback}`);
    before = await serverFor(oldCallback);
    after = await serverFor('/api/auth/google/callback');
    for (const { accounts } of [before, after])
      for (const name of names)
        accounts.set(`${name}-1`, { email: `${name}@acme.test`, email_verified: true, name });
  });
  afterAll(() => Promise.all([before.stop(), after.stop()]));
  return {
    get before() {
      return before;
    },
    get after() {
      return after;
    },
  };
}
