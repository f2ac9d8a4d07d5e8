// The estimate of the strength of a password (docs/client.md#password-strength).
import { passwordEstimator, type EstimatePassword } from 'svc-auth/client';
import { growthOf } from '../support/outcomes.js';

let estimate: EstimatePassword;
beforeAll(async () => {
  estimate = await passwordEstimator();
});

describe('passwordEstimator', () => {
  it.each([
    ['password', 0],
    ['qwertyuiop', 0],
    ['Zf8!kq2Lw9#xTm4v', 4],
    ['correct horse battery staple', 4],
  ])('gives %j the score %d', (password, score) => {
    expect(estimate(password).score).toBe(score);
  });

  it('says why a password is weak, with keys that the page translates', () => {
    expect(estimate('password')).toEqual({
      score: 0,
      guessesLog10: expect.any(Number),
      warning: expect.stringMatching(/^\w+$/),
      suggestions: expect.arrayContaining([expect.stringMatching(/^\w+$/)]),
    });
    const strong = estimate('Zf8!kq2Lw9#xTm4v');
    expect([strong.warning, strong.suggestions]).toEqual([null, []]);
  });

  it('needs more guesses for a longer password of the same kind', () => {
    const guesses = ['Zf8!kq', 'Zf8!kq2Lw9', 'Zf8!kq2Lw9#xTm4v'].map((each) => estimate(each).guessesLog10);
    expect([...guesses].sort((a, b) => a - b)).toEqual(guesses);
    expect(new Set(guesses).size).toBe(3);
  });

  it('counts the words of an attacker as easy to guess, also the parts of an address', () => {
    const password = 'zinclocksmith-velvetharbor';
    const words = ['velvetharbor@zinclocksmith.example', 'Acme'];
    expect(estimate(password, words).guessesLog10).toBeLessThan(estimate(password).guessesLog10 - 3);
    // Without a letter or a digit there is nothing to guess.
    expect(estimate(password, ['', '@', '...'])).toEqual(estimate(password));
    // Those of one estimate do not count in the next.
    expect(estimate(password).guessesLog10).toBeGreaterThan(estimate(password, words).guessesLog10);
  });

  it('takes no longer for a password of any length', async () => {
    expect(await growthOf((size) => estimate('aB3$'.repeat(size)), 5_000)).toBeLessThan(30);
    const long = estimate('aB3$'.repeat(50_000));
    expect(long).toEqual(estimate('aB3$'.repeat(25)));
    expect(estimate('').score).toBe(0);
  });
});
