/** A QR code as SVG, rendered on the server: always dark on light, because cameras require it. */
import { html, type Html } from '../../html/html.js';
import { loadQrCode } from '../../runtime/load.js';

/** Modules of white space around the code (ISO/IEC 18004). */
const quietZone = 4;

/** Returns null if the optional package for it is not installed: the page then shows the key only. */
export function qrCode(text: string, label: string): Html | null {
  const generate = loadQrCode();
  if (!generate) return null;
  const code = generate(text);
  let path = '';
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1)
      if (code.get(x, y)) path += `M${x + quietZone} ${y + quietZone}h1v1h-1z`;
  }
  const size = code.size + 2 * quietZone;
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}">
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${path}" fill="#000" shape-rendering="crispEdges" />
  </svg>`;
}
