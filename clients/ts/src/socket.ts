/** The part of a WebSocket that is used here: a browser's, Node's own, or that of `ws`. */
export interface Socket {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export type SocketConstructor = new (url: string) => Socket;

/** Gives the constructor to use, or says what to do where there is none. */
export function socketConstructor(given: SocketConstructor | undefined): SocketConstructor {
  const found = given ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  if (!found) {
    throw new TypeError('there is no global WebSocket here (Node has one from version 22): pass one, such as that of the package "ws", as the option WebSocket');
  }
  return found;
}
