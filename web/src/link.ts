// The connection to the server: JSON both ways, frames and recordings as bytes. It comes back by itself.

export type Message = { type: string; [key: string]: unknown };

export interface Listener {
  words(message: Message): void;
  frame(data: ArrayBuffer): void;
  tape(which: string, bytes: Uint8Array<ArrayBuffer>): void;
  file(name: string, bytes: Uint8Array<ArrayBuffer>): void;
  status(open: boolean, why: string): void;
}

export class Link {
  private socket: WebSocket | null = null;
  private tries = 0;

  constructor(private readonly listener: Listener) {
    this.connect();
  }

  get open(): boolean {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** What is said while there is no connection is lost: who listens says it again once there is one. */
  send(message: Message): void {
    if (this.open) this.socket!.send(JSON.stringify(message));
  }

  private connect(): void {
    const address = new URL("ws", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.listener.status(true, "");
    };
    socket.onmessage = (event) => this.heard(event.data);
    socket.onclose = (event) => {
      this.listener.status(false, event.reason || "the studio's server does not answer");
      if (this.tries++ < 30) setTimeout(() => this.connect(), Math.min(500 * this.tries, 5000));
    };
  }

  private heard(data: string | ArrayBuffer): void {
    if (typeof data === "string") return this.listener.words(JSON.parse(data));
    const bytes = new Uint8Array(data);
    const kind = String.fromCharCode(bytes[0]);
    if (kind === "F") this.listener.frame(data);
    else if (kind === "T") this.listener.tape(String.fromCharCode(bytes[1]), bytes.subarray(2));
    else if (kind === "D") {
      const end = bytes.indexOf(10);
      const head = JSON.parse(new TextDecoder().decode(bytes.subarray(1, end)));
      this.listener.file(head.name, bytes.subarray(end + 1));
    }
  }
}
