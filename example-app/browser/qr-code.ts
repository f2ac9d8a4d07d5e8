/** A QR code as SVG: always dark on light, because cameras require it. */
import { generate } from 'lean-qr';

/** Modules of white space around the code (ISO/IEC 18004). */
const quietZone = 4;

export function qrCode(text: string, label: string): SVGSVGElement {
  const code = generate(text);
  let path = '';
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1)
      if (code.get(x, y)) path += `M${x + quietZone} ${y + quietZone}h1v1h-1z`;
  }
  const size = String(code.size + 2 * quietZone);
  const svg = (name: string, attributes: Record<string, string>) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
    return element;
  };
  const picture = svg('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label });
  picture.append(
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: path, fill: '#000', 'shape-rendering': 'crispEdges' }),
  );
  return picture as SVGSVGElement;
}
