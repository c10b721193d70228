import type { ExportFormat, Session } from "@parley/client";

const ENDINGS: { readonly [F in ExportFormat]: string } = {
  archive: ".parley", markdown: ".md", jsonl: ".jsonl", roo: ".zip", store: ".json", yaar: ".jsonl", ipynb: ".ipynb",
};

/** Gives the session to the browser to keep as a file. */
export async function download(session: Session, format: ExportFormat): Promise<void> {
  offer(await session.api.export(format), session.id + ENDINGS[format]);
}

/** Gives something to the browser to keep as a file. */
export function offer(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
