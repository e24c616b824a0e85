// The program under test, to be started, asked and killed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export class Server {
  constructor(program, options) {
    this.program = program;
    this.options = options;
    this.port = 0;
  }

  /** Starts it; the second time on the same port. */
  async start() {
    const options = ["--inspect", "--port", String(this.port), ...this.options];
    this.process = spawn(this.program, options, { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: this.process.stdout })) {
      if (!line.startsWith("http://")) continue;
      this.address = line;
      this.port = Number(new URL(line).port);
      return;
    }
    throw new Error(`${this.program} has ended before it was ready`);
  }

  /** Ends it as a power cut would. */
  async kill() {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }

  /** Asks what only tests may ask. */
  async ask(question, body = "") {
    const response = await fetch(`${this.address}/inspect/${question}`, { method: "POST", body });
    if (!response.ok) throw new Error(`${question}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  /** The objects in a shape, by a linear scan. */
  scan(shape) {
    return this.ask("scan", JSON.stringify({ zone: { number: 0, shape } }));
  }
}
