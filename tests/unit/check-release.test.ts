// The check that refuses a release while something in the repository is a placeholder.
import { releaseFaults, type ReleaseState } from '../../scripts/check-release.js';

const ready: ReleaseState = {
  manifest: {
    version: '0.2.0',
    homepage: 'https://auth.acme.dev',
    bugs: { url: 'https://auth.acme.dev/issues' },
    repository: { type: 'git', url: 'git+https://auth.acme.dev/svc-auth.git' },
  },
  changelog: '# Changelog\n\n## 0.2.0 - 2026-12-01\n',
  publicKey: 'a key of the vendor',
  workingTree: '',
};

describe('npm run release:check', () => {
  it('accepts a repository without placeholders', () => {
    expect(releaseFaults(ready)).toEqual([]);
  });

  it.each(['homepage', 'bugs', 'repository'])('refuses a package.json without %s', (name) => {
    const faults = releaseFaults({ ...ready, manifest: { ...ready.manifest, [name]: undefined } });
    expect(faults).toEqual([expect.stringContaining(`"${name}"`)]);
  });

  it.each(['https://example.com/svc-auth', 'http://auth.acme.dev', 'https://auth.acme.test', 'to do'])(
    'refuses the placeholder %s as an address',
    (homepage) => {
      expect(releaseFaults({ ...ready, manifest: { ...ready.manifest, homepage } })).toHaveLength(1);
    },
  );

  it('refuses a changelog without a dated section for the version', () => {
    expect(releaseFaults({ ...ready, changelog: '## 0.2.0 - Unreleased\n' })).toEqual([
      expect.stringContaining('CHANGELOG.md'),
    ]);
  });

  it('refuses the public key of this repository', async () => {
    const { vendorPublicKey } = await import('../../src/engine/vendor-key.js');
    expect(releaseFaults({ ...ready, publicKey: vendorPublicKey })).toEqual([
      expect.stringContaining('vendor-key.ts'),
    ]);
  });

  it('refuses a working tree with changes', () => {
    expect(releaseFaults({ ...ready, workingTree: ' M README.md\n' })).toHaveLength(1);
  });
});
