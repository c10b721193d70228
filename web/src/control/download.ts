import type { ExportFormat, Session } from "@parley/client";

const ENDINGS: { readonly [F in ExportFormat]: string } = {
  archive: ".parley", markdown: ".md", jsonl: ".jsonl", roo: ".zip", store: ".json", yaar: ".jsonl", ipynb: ".ipynb",
};

/** Gives the session to the browser to keep as a file. */
export async function download(session: Session, format: ExportFormat): Promise<void> {
  const url = URL.createObjectURL(await session.api.export(format));
  const link = document.createElement("a");
  link.href = url;
  link.download = session.id + ENDINGS[format];
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
