/** Where clouds tell their machines who they are and with which keys. By address: a name would be looked up. */
export const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "172.17.0.1",
  "192.168.0.1",
] as const;

/** Ways to write a port of the machine's own loopback. */
export function spellings(port: number): string[] {
  return [
    "127.0.0.1",
    "localhost",
    "LOCALHOST.",
    "127.1",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
  ].map((host) => `${host}:${port}`);
}
