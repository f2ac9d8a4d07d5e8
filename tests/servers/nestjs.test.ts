/** `svc-auth/nestjs` in applications of NestJS 10 and 11, on machines that have them. */
import {
  compilerErrors,
  describeWithNest,
  exampleMismatches,
  installPackage,
  loadApplication,
  loadGraphQL,
  testExample,
  type ModuleFormat,
  type NestVersion,
} from '../support/nest-applications.js';
import { describeGraphQL } from './nestjs/graphql.js';
import { describeModule } from './nestjs/module.js';
import { describeRoutes } from './nestjs/routes.js';
import { describeConnections, describeSockets } from './nestjs/sockets.js';

const minutes = 60_000;
const versions: [NestVersion, ModuleFormat][] = [
  [11, 'CommonJS'],
  [11, 'ES modules'],
  [10, 'CommonJS'],
  [10, 'ES modules'],
];

describeWithNest('svc-auth/nestjs', () => {
  beforeAll(installPackage, 5 * minutes);

  describe.each(versions)('with NestJS %i and %s', (version, format) => {
    const starters = () => loadApplication(version, format);
    describeRoutes(starters);
    describeModule(starters);
    describeSockets(starters, 'ws');
    describeSockets(starters, 'socket.io');
    describeConnections(starters);
  });

  describeGraphQL(loadGraphQL);

  it(
    'passes the tests of the example',
    async () => {
      expect(exampleMismatches()).toEqual([]);
      const { code, out } = await testExample();
      expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('# fail 0') as string });
      expect(out).toContain('# pass 6');
    },
    2 * minutes,
  );

  it(
    'has types for applications with decorators, for the example and for the documents',
    async () => {
      expect(await compilerErrors()).toBe('');
    },
    3 * minutes,
  );
});
