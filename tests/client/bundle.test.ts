// The client as a browser loads it: its size, its files, and nothing of Node.js.
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import ts from 'typescript';
import { repository } from '../architecture/source-graph.js';

const entry = path.join(repository, 'src/client.ts');

async function bundle(options: BuildOptions = {}) {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: [
      '@simplewebauthn/browser',
      '@zxcvbn-ts/core',
      '@zxcvbn-ts/language-common',
      'altcha-lib',
      'altcha-lib/*',
    ],
    absWorkingDir: repository,
    ...options,
  } as BuildOptions & { write: false; metafile: true });
  return { text: outputFiles[0]!.text, inputs: Object.keys(metafile.inputs) };
}

describe('the client in a bundle', () => {
  it('the bundle is under 10 KB gzipped, without the package for passkeys', async () => {
    const { text } = await bundle();
    const size = gzipSync(text).length;
    expect(size).toBeGreaterThan(500);
    expect(size).toBeLessThan(10 * 1024);
  });

  it('the bundle contains its own files only', async () => {
    const { inputs } = await bundle();
    expect(inputs).toContain('src/client/methods.ts');
    expect(inputs.filter((file) => !/^src\/client(\/|\.ts$)/.test(file))).toEqual([]);
  });

  it('adds no other code to a bundle that imports only an error', async () => {
    const stdin = { contents: `export { AuthClientError } from './src/client.ts';`, resolveDir: repository };
    const { text } = await bundle({ entryPoints: [], stdin });
    expect(text).not.toContain('/email-code');
    expect(text.length).toBeLessThan(500);
  });

  it('loads the package for passkeys by a dynamic import only', async () => {
    const { text } = await bundle({ minify: false });
    expect(text).toMatch(/import\("@simplewebauthn\/browser"\)/);
    expect(text).not.toMatch(/^import .*@simplewebauthn/m);
    expect(text).toMatch(/import\("altcha-lib"\)/);
    expect(text).not.toMatch(/^import .*altcha/m);
  });

  it('adds the solver of challenges only to a bundle that imports it', async () => {
    const stdin = { contents: `export { createClient } from './src/client.ts';`, resolveDir: repository };
    const { text } = await bundle({ entryPoints: [], stdin });
    expect(text).not.toContain('altcha');
  });

  it('requires no global except fetch', async () => {
    const { text } = await bundle({ format: 'iife', globalName: 'client' });
    const fetch = async () => ({
      ok: true,
      status: 200,
      text: async () => '{"user":{"createdAt":"2026-01-01"}}',
    });
    const script = `${text}; client.createClient({ baseUrl: '/auth' }).session()`;
    const result = (await runInNewContext(script, { fetch })) as { user: { createdAt: Date } };
    expect(result.user.createdAt.toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('compiles without the types of Node.js', () => {
    const program = ts.createProgram([entry], {
      types: [],
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    });
    const faults = ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => ({
      file: file ? path.relative(repository, file.fileName) : '',
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    }));
    // Its types may import files with server code, which a bundle does not contain.
    expect(faults.filter(({ file }) => !/^src\/(domain|errors)\//.test(file))).toEqual([]);
  });
});
