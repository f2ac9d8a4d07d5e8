/** Buttons that copy: `<button data-copy="text">`. */
import { say } from './dom.js';

export function onCopy(): void {
  document.addEventListener('click', (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]');
    if (button) void copy(button);
  });
}

async function copy(button: HTMLElement): Promise<void> {
  const copied = await navigator.clipboard.writeText(button.dataset['copy']!).then(
    () => true,
    () => false,
  );
  say(copied ? 'Copied.' : "Your browser doesn't allow copying here. Select the text and copy it.");
}
