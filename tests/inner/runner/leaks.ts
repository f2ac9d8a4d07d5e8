/** Tests that leak, for several files of one process. */
import { LeakScan } from '../../support/leak-scan.js';

const secret = 'a-token-that-is-unique';

export function leakyTests(): void {
  // Fails if the scan still knows the secret from another file.
  it('writes a word to the log that is not a secret yet', () => {
    new LeakScan().scan('the log', secret);
  });

  it('writes a secret to the log', () => {
    const scan = new LeakScan();
    scan.learn('a token', secret);
    scan.scan('the log', secret);
  });

  it('writes to the log what becomes a secret later', () => {
    const scan = new LeakScan();
    scan.scan('the log', `later-${secret}`);
    scan.learn('a token', `later-${secret}`);
  });

  it('stores a secret', () => {
    const scan = new LeakScan();
    scan.scanStored('users.insert', [{ path: '', text: `stored-${secret}` }]);
    scan.learn('a token', `stored-${secret}`);
  });
}
