/** The token that the address brought. It stays in this tab and leaves the address bar; handover.ts gives it to other tabs. */
const KEY = "parley.token";

export function takeToken(): string | undefined {
  const url = new URL(location.href);
  const given = url.searchParams.get("token");
  if (given) {
    keepToken(given);
    url.searchParams.delete("token");
    history.replaceState(history.state, "", url.pathname + url.search + url.hash);
    return given;
  }
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Without storage the token lives as long as the page.
  }
}

/** Finds the token in what a person pasted: the token alone, or the whole address that the server printed. */
export function tokenIn(pasted: string): string {
  const text = pasted.trim();
  try {
    return new URL(text).searchParams.get("token") ?? text;
  } catch {
    return text;
  }
}
