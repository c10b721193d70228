/** Pictures for the documents, packed smaller: the same pixels in the same format, rows as they are, which suits large plain areas. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = 8;
const CHANNELS = 3; // what the browser gives: red, green and blue, eight bits each

export function packed(png: Buffer): Buffer {
  const parts = partsOf(png);
  const header = parts.find((p) => p.name === "IHDR")!.data;
  const [width, height, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header.readUInt16BE(8)];
  if (kind !== 0x0802) throw new Error("this is no picture of the browser: it has other colours than 8-bit RGB");
  const rows = plain(inflateSync(Buffer.concat(parts.filter((p) => p.name === "IDAT").map((p) => p.data))), width * CHANNELS, height);
  const body = deflateSync(rows, { level: 9, memLevel: 9 });
  return Buffer.concat([png.subarray(0, SIGNATURE), part("IHDR", header), part("IDAT", body), part("IEND", Buffer.alloc(0))]);
}

function partsOf(png: Buffer): { name: string; data: Buffer }[] {
  const parts = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    parts.push({ name: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return parts;
}

function part(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** Takes the filters off the rows. Each begins with a byte that says which it has; then none has one. */
function plain(rows: Buffer, length: number, height: number): Buffer {
  const out = Buffer.alloc(rows.length);
  for (let y = 0; y < height; y++) {
    const at = y * (length + 1);
    const filter = rows[at]!;
    for (let i = 1; i <= length; i++) {
      const left = i > CHANNELS ? out[at + i - CHANNELS]! : 0;
      const up = y > 0 ? out[at + i - length - 1]! : 0;
      const corner = i > CHANNELS && y > 0 ? out[at + i - length - 1 - CHANNELS]! : 0;
      out[at + i] = rows[at + i]! + [0, left, up, (left + up) >> 1, nearest(left, up, corner)][filter]!;
    }
  }
  return out;
}

function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
