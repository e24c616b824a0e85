// The browser of the tests.

export const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
