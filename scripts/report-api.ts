/**
 * Writes the public API of every entry point into docs/api: `npm run docs -- api`. With `--check` it writes nothing and fails if
 * a report is out of date; `npm run lint` does that, so that no export changes unnoticed.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const repository = fileURLToPath(new URL('..', import.meta.url));
const entries = {
  'svc-auth': 'src/index',
  'svc-auth-token': 'src/token',
  'svc-auth-client': 'src/client',
  'svc-auth-server': 'src/server',
  'svc-auth-admin': 'src/admin',
  'svc-auth-pages': 'src/pages',
  'svc-auth-redis': 'src/redis',
  'svc-auth-moving': 'src/moving',
  'svc-auth-oauth-server': 'src/oauth-server',
  'svc-auth-nestjs': 'src/nestjs',
  'svc-auth-testing': 'testing/index',
};

const reports = path.join(repository, 'docs/api');
mkdirSync(reports, { recursive: true });

const isCheck = process.argv.includes('--check');
// Inside the repository, because the declarations import packages.
const declarations = mkdtempSync(path.join(repository, '.api-'));
const temporary = mkdtempSync(path.join(tmpdir(), 'api-'));

try {
  emitDeclarations();
  const outdated = Object.entries(entries).filter(([name, entry]) => !report(name, entry));
  if (outdated.length > 0) {
    console.error(`The public API has changed: ${outdated.map(([name]) => name).join(', ')}.`);
    console.error('Run `npm run docs -- api`, look at the difference, and add it to CHANGELOG.md.');
    process.exitCode = 1;
  }
} finally {
  rmSync(declarations, { recursive: true });
  rmSync(temporary, { recursive: true });
}

function emitDeclarations(): void {
  const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', repository];
  const options = ['-p', path.join(repository, 'scripts/tsconfig.api.json'), '--outDir', declarations];
  execFileSync(process.execPath, [tsc, ...options, ...flags], { stdio: 'inherit' });
}

/** Returns whether the report is up to date. Without `--check` it is written and always is. */
function report(name: string, entry: string): boolean {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(repository, 'package.json'),
    configObject: {
      projectFolder: repository,
      mainEntryPointFilePath: path.join(declarations, `${entry}.d.ts`),
      compiler: { tsconfigFilePath: path.join(repository, 'scripts/tsconfig.api.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: reports,
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: 'none' as ExtractorLogLevel } },
        extractorMessageReporting: { default: { logLevel: 'none' as ExtractorLogLevel } },
        tsdocMessageReporting: { default: { logLevel: 'none' as ExtractorLogLevel } },
      },
    },
  });
  const { apiReportChanged } = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      message.handled = true;
      if (message.logLevel === ExtractorLogLevel.Error) console.error(message.text);
    },
  });
  return !(isCheck && apiReportChanged);
}
