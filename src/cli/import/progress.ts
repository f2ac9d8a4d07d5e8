/** Shows the progress of a command: a bar at a terminal, otherwise a line every ten seconds. */
import cliProgress from 'cli-progress';
import type { Terminal } from '../terminal.js';

const everyMs = 10_000;

export interface Progress {
  update: (done: number) => void;
  end: () => void;
}

/** @param total Null if it is not known. @param unit what is counted. */
export function showProgress(
  { errors }: Terminal,
  title: string,
  total: number | null,
  unit = 'users',
): Progress {
  const startedAt = performance.now();
  const rateOf = (done: number) => Math.round((done / Math.max(1, performance.now() - startedAt)) * 1000);
  if (errors.isTTY !== true) return lines(errors, title, total, unit, rateOf);
  const known = total === null ? `{value} ${unit}` : `{bar} {percentage}% | {value} of {total} ${unit}`;
  const bar = new cliProgress.SingleBar(
    {
      format: `${title} ${known} | {rate}/s${total === null ? '' : ' | {eta_formatted} left'}`,
      stream: errors,
      hideCursor: true,
      clearOnComplete: true,
      fps: 5,
      // Ends with the command, which continues until its batch is stored.
      gracefulExit: false,
      etaAsynchronousUpdate: false,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(total ?? 0, 0, { rate: 0 });
  return { update: (done) => bar.update(done, { rate: rateOf(done) }), end: () => bar.stop() };
}

function lines(
  errors: Terminal['errors'],
  title: string,
  total: number | null,
  unit: string,
  rateOf: (done: number) => number,
): Progress {
  let shownAt = performance.now();
  return {
    update(done) {
      if (performance.now() - shownAt < everyMs) return;
      shownAt = performance.now();
      const rate = rateOf(done);
      const left = total === null || rate === 0 ? '' : `, ${Math.ceil((total - done) / rate)} s left`;
      errors.write(`${title} ${done}${total === null ? '' : ` of ${total}`} ${unit}, ${rate}/s${left}\n`);
    },
    end: () => undefined,
  };
}
