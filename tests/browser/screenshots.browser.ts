/** The pictures of the README: `SCREENSHOTS=docs/images npm run test:e2e screenshots`. */
import { mkdir } from 'node:fs/promises';
import { test } from 'node:test';
import { startExample } from './support/example.js';
import { world } from './support/people.js';
import { signIns } from './support/sign-ins.js';

const folder = process.env['SCREENSHOTS'];

if (folder) {
  const site = world(() => startExample());
  const { signIn } = signIns(site);

  test('the pages of the README have their picture taken', async () => {
    await mkdir(folder, { recursive: true });
    const ada = await site.person('ada', { deviceScaleFactor: 1.5, viewport: { width: 1000, height: 720 } });
    ada.email = 'ada@acme.test';
    const { page } = ada;
    await page.goto('/sign-in');
    await page.screenshot({ path: `${folder}/sign-in.png`, caret: 'hide' });
    await signIn(ada);
    await page.goto('/account/security');
    await page.screenshot({ path: `${folder}/account.png`, caret: 'hide' });
  });
} else {
  test(
    'the pages of the README have their picture taken',
    { skip: 'SCREENSHOTS names the folder' },
    () => {},
  );
}
