import { table } from "../../../../core/table.ts";

/**
 * The system calls that namespaces don't hold back, as a program for the kernel's own filter.
 *
 * - Sockets of odd families. A network of one's own binds IP and netlink, and paths bind unix sockets; a virtual machine's
 *   line to its host (vsock) is no part of it and would lead straight out.
 * - Keyrings. A program inherits the keyring of the session that Loom was started in, with whatever it holds.
 * - io_uring, which makes sockets without the call that is looked at here; and three ways into the kernel that builds and
 *   tests don't need, and that container engines close, too.
 *
 * They answer as a kernel that never had them, which programs are prepared for. 32-bit programs are filtered as well:
 * every 64-bit kernel runs them.
 */
type Abi = {
  readonly audit: number;
  readonly socket: number;
  readonly denied: readonly number[];
  /** Calls from this number on belong to an ABI that is not listed. */
  readonly end: number | null;
};

const IO_URING = [425, 426, 427];
// In order: add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd; and socketcall, which hides its arguments.
const ABIS: Readonly<Record<string, readonly Abi[]>> = table({
  x64: [
    {
      audit: 0xc000003e,
      socket: 41,
      denied: [248, 249, 250, 298, 321, 323, ...IO_URING],
      end: 0x40000000,
    },
    {
      audit: 0x40000003,
      socket: 359,
      denied: [286, 287, 288, 336, 357, 374, 102, ...IO_URING],
      end: null,
    },
  ],
  arm64: [
    { audit: 0xc00000b7, socket: 198, denied: [217, 218, 219, 241, 280, 282, ...IO_URING], end: null },
    { audit: 0x40000028, socket: 281, denied: [309, 310, 311, 364, 386, 388, 102, ...IO_URING], end: null },
  ],
});

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK */
const FAMILIES = [1, 2, 10, 16];

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const RETURN = 0x06;

const ALLOW = 0x7fff0000;
const ENOSYS = 0x00050000 + 38;
const EAFNOSUPPORT = 0x00050000 + 97;

const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** null for machines whose numbers are not known here. */
export function systemCallFilter(architecture: string): Buffer | null {
  const abis = ABIS[architecture];
  if (!abis) return null;
  const program = [...abis.flatMap(forAbi), give(ENOSYS)];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}

function forAbi({ audit, socket, denied, end }: Abi): Instruction[] {
  const families = FAMILIES.flatMap((family) => when(family, [give(ALLOW)]));
  const calls = [
    load(NUMBER),
    ...(end === null ? [] : [[JUMP_AT_LEAST, 0, 1, end] as const, give(ENOSYS)]),
    ...denied.flatMap((call) => when(call, [give(ENOSYS)])),
    ...when(socket, [load(FIRST_ARGUMENT), ...families, give(EAFNOSUPPORT)]),
    give(ALLOW),
  ];
  return [load(ARCHITECTURE), ...when(audit, calls)];
}

function when(value: number, then: readonly Instruction[]): Instruction[] {
  return [[JUMP_EQUAL, 0, then.length, value], ...then];
}

function load(offset: number): Instruction {
  return [LOAD, 0, 0, offset];
}

function give(answer: number): Instruction {
  return [RETURN, 0, 0, answer];
}
