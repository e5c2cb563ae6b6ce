/** Numbers of calls on the machines that have a filter for them. */
const NUMBERS = {
  x64: { ptrace: 101, keyctl: 250, addKey: 248, requestKey: 249, unshare: 272, readMemory: 310 },
  arm64: { ptrace: 117, keyctl: 219, addKey: 217, requestKey: 218, unshare: 97, readMemory: 270 },
} as const;
const PIDFD_OPEN = 434;
const PIDFD_GETFD = 438;
const IO_URING = 425;

/**
 * A program that makes calls which no defence of files or networks is in the way of; null for machines whose numbers are not
 * known. It prints a name for each that worked, one a line. None does harm where it works: `PTRACE_SEIZE` stops nobody, and
 * what it opens ends with it. The last line says that it came to its end.
 */
export function systemCallScript(arch: string): string | null {
  if (arch !== "x64" && arch !== "arm64") return null;
  const { ptrace, keyctl, addKey, requestKey, unshare, readMemory } = NUMBERS[arch];
  return `
    for my $pid (1 .. 40) {
      next unless -d "/proc/$pid" && $pid != $$;
      print "relay: attached to process $pid\\n" if syscall(${ptrace}, 0x4206, $pid, 0, 0) >= 0;
      my $fd = syscall(${PIDFD_OPEN}, $pid, 0);
      if ($fd >= 0) {
        print "relay: took a file of process $pid\\n" if grep { syscall(${PIDFD_GETFD}, $fd, $_, 0) >= 0 } 0 .. 40;
      }
      my $buffer = "\\0" x 8; my $to = pack("PQ", $buffer, 8); my $from = pack("QQ", 0x400000, 8);
      print "relay: read the memory of process $pid\\n" if syscall(${readMemory}, $pid, $to, 1, $from, 1, 0) > 0;
    }
    for (["raw packets", 17, 3], ["a line to the host of a virtual machine", 40, 1]) {
      print "calls: $_->[0]\\n" if socket(my $s, $_->[1], $_->[2], 0);
    }
    print "calls: keys of the session\\n" if syscall(${keyctl}, 0, -3, 0) >= 0;
    my ($type, $name) = ("user", "loom-drill");
    print "calls: a key of its own\\n" if syscall(${addKey}, $type, $name, 0, 0, -2) >= 0;
    print "calls: a key by name\\n" if syscall(${requestKey}, $type, $name, 0, 0) >= 0;
    my $setup = "\\0" x 120;
    print "calls: io_uring\\n" if syscall(${IO_URING}, 1, $setup) >= 0;
    print "calls: a namespace of its own\\n" if syscall(${unshare}, 0x10000000) >= 0;
    print "${CALLS_END}\\n";`;
}

export const CALLS_END = "that was all";
