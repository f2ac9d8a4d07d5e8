/** Loads the configuration file of a command, in JavaScript or TypeScript, and finds the service that it exports. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceConfig } from '../config/service-config.js';
import { hasMethod } from '../core/support/has-method.js';
import { createService, type Service } from '../engine/service.js';
import { isServiceError } from '../errors/service-error.js';
import { UsageError } from './arguments.js';
import { importModule } from './module.cjs';

/** The exports of a module, by name. */
type Exports = Record<string, unknown>;

/**
 * Returns the service of a file: its default export, or its only export that is a Service, or else the configuration of one.
 * @throws UsageError if the file does not exist, cannot be loaded as TypeScript, or exports none or several.
 */
export async function serviceOfFile(file: string): Promise<Service> {
  return (await applicationOfFile(file)).service;
}

/** As `serviceOfFile`, with the application of Express that the file exports, if there is one. */
export async function applicationOfFile(
  file: string,
): Promise<{ service: Service; app: object | undefined }> {
  if (!existsSync(file)) throw new UsageError(`The configuration file ${file} does not exist.`);
  const exports = exportsOf(await load(file));
  const exported = onlyServiceOf(exports, file);
  const app = Object.values(exports).find(isExpress);
  return { service: isService(exported) ? exported : createService(exported), app };
}

const isExpress = (value: unknown): value is object =>
  typeof value === 'function' && 'handle' in value && 'listen' in value;

async function load(file: string): Promise<Exports> {
  const url = pathToFileURL(file).href;
  try {
    if (!/\.[cm]?ts$/.test(file)) return (await importModule(url)) as Exports;
    return await loadTypeScript(file, url);
  } catch (error) {
    if (isServiceError(error) || error instanceof UsageError) throw error;
    throw new Error(`Cannot load ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

interface Tsx {
  tsImport: (url: string, parent: string) => Promise<Exports>;
}

/** With the tsx of the project, or with Node.js, which removes types since 22.18. */
async function loadTypeScript(file: string, url: string): Promise<Exports> {
  const tsx = tsxOf(file);
  if (tsx !== null) return ((await importModule(tsx)) as Tsx).tsImport(url, url);
  if ('typescript' in process.features && process.features.typescript)
    return (await importModule(url)) as Exports;
  throw new UsageError(`Loading ${path.basename(file)} needs the package tsx: npm install --save-dev tsx.`);
}

/** Returns the URL of the ES module of tsx in the project of `file`, or null. Its CommonJS form does not find its own files. */
function tsxOf(file: string): string | null {
  try {
    return pathToFileURL(
      createRequire(file)
        .resolve('tsx/esm/api')
        .replace(/\.cjs$/, '.mjs'),
    ).href;
  } catch {
    return null;
  }
}

/** Returns all exports. Those of CommonJS, and of ES modules that are translated to it, are in the default export of the module. */
function exportsOf(module: Exports): Exports {
  const { default: inner, ...named } = module;
  const isObject = typeof inner === 'object' && inner !== null;
  if (!isObject || isService(inner) || isConfig(inner)) return module;
  return { ...(inner as Exports), ...named };
}

const isConfig = (value: unknown): value is ServiceConfig =>
  typeof value === 'object' && value !== null && 'adapter' in value;

// Not `instanceof`: the file may load another copy of this package, such as the CommonJS one.
const isService = (value: unknown): value is Service => hasMethod(value, 'init') && hasMethod(value, 'close');

/** @throws UsageError */
function onlyServiceOf(exports: Exports, file: string): Service | ServiceConfig {
  const { default: preferred } = exports;
  if (isService(preferred) || isConfig(preferred)) return preferred;
  const values: unknown[] = Object.values(exports);
  // A file that exports a service may export its configuration, too.
  const services: (Service | ServiceConfig)[] = values.filter(isService);
  const [first, ...others] = new Set(services.length > 0 ? services : values.filter(isConfig));
  if (first === undefined)
    throw new UsageError(`${file} must export a Service or a configuration of createService.`);
  if (others.length === 0) return first;
  const fitting: unknown[] = [first, ...others];
  const names = Object.keys(exports).filter((name) => fitting.includes(exports[name]));
  throw new UsageError(`${file} exports several: ${names.join(', ')}. Make one of them the default export.`);
}
