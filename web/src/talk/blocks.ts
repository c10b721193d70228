/**
 * Cuts Markdown at blank lines into blocks that stand for themselves. While a
 * text grows only its last block changes, so that the rest is not read again:
 * a long answer costs no more to stream than a short one.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let blank = false;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (blank && fence === undefined && block.length > 0 && begins(line, block[0]!)) {
      blocks.push(block.join("\n"));
      block = [];
    }
    if (mark) {
      if (fence === undefined) fence = mark;
      else if (mark[0] === fence[0] && mark.length >= fence.length) fence = undefined;
    }
    blank = line.trim() === "";
    block.push(line);
  }
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks;
}

const ITEM = /^(?:[-*+]|\d+[.)]?)(?:\s|$)/;

/** Says whether a line after a blank one begins something new: what is indented goes on, and so do the items of a list. */
function begins(line: string, first: string): boolean {
  if (line.trim() === "" || /^\s/.test(line)) return false;
  return !(ITEM.test(line) && ITEM.test(first));
}
