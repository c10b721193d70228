/**
 * Hands the token from one tab to the next, so that a second tab need not ask
 * for it. It goes from page to page in the browser's memory: only pages of this
 * very server, in this browser profile, hear the channel, and nothing is
 * written down. When the last tab is closed it is gone.
 */
const CHANNEL = "parley.token";

/** How long a new tab waits for the others before it asks a person. */
const PATIENCE_MS = 400;

type Word =
  | { ask: string }
  | { answer: string; token: string }
  /** Somebody has been let in: whoever still waits may ask again. */
  | { here: true };

function join(): BroadcastChannel | undefined {
  return typeof BroadcastChannel === "function" ? new BroadcastChannel(CHANNEL) : undefined;
}

/** Asks the open tabs. Nobody answers where there is none. */
export function askTabs(): Promise<string | undefined> {
  const channel = join();
  if (!channel) return Promise.resolve(undefined);
  const ask = crypto.getRandomValues(new Uint32Array(4)).join("-");
  return new Promise((done) => {
    const end = (token?: string) => {
      clearTimeout(timer);
      channel.close();
      done(token);
    };
    const timer = setTimeout(end, PATIENCE_MS);
    channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if ("answer" in data && data.answer === ask) end(data.token);
    };
    channel.postMessage({ ask } satisfies Word);
  });
}

/** Answers other tabs for as long as the server takes the token, and tells those that wait. */
export function answerTabs(token: string): () => void {
  const channel = join();
  if (!channel) return () => {};
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if ("ask" in data) channel.postMessage({ answer: data.ask, token } satisfies Word);
  };
  channel.postMessage({ here: true } satisfies Word);
  return () => channel.close();
}

/** Tells when another tab has been let in. */
export function awaitTabs(here: () => void): () => void {
  const channel = join();
  if (!channel) return () => {};
  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if ("here" in data) here();
  };
  return () => channel.close();
}
