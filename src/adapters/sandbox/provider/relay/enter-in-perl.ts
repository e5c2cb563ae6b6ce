import type { SystemCalls } from "../bubblewrap/system-calls.ts";

/**
 * `enter <words> <filter> <shelter> <file bytes> <threads> [group…] -- <bwrap> <program…>` becomes bubblewrap: in the
 * control groups, within the limits, and in a view of the machine in which /dev is read-only (see `Shelter`). SIGTERM is
 * ignored, which lasts until the relay sets it back. What must not fail ends it with code 125.
 */
export const enterProgram = (calls: SystemCalls): string => String.raw`
use strict;
$SIG{TERM} = 'IGNORE';
my ($words, $filter, $shelter, $bytes, $threads, @rest) = @ARGV;
sub fail { print STDERR "The sandbox can't be entered: $_[0]: $!\n"; exit 125 }
sub put { my $file; open($file, '>', $_[0]) && defined syswrite($file, $_[1]) }

while (@rest && $rest[0] ne '--') {
  my $group = shift @rest;
  put("$group/cgroup.procs", $$) or print STDERR "The control group $group can't be entered: $!\n";
}
shift @rest;
if (open(my $file, '<', '/proc/self/oom_score_adj')) {
  put('/proc/self/oom_score_adj', 0) if readline($file) < 0;
}

sub limit {
  my ($kind, $most) = @_;
  my $now = pack('Q2', 0, 0);
  syscall(${calls.prlimit}, 0, $kind, 0, $now) == 0 or fail('limits');
  my $hard = (unpack('Q2', $now))[1];
  my $new = pack('Q2', ($most < $hard ? $most : $hard) x 2);
  syscall(${calls.prlimit}, 0, $kind, $new, 0) == 0 or fail('limits');
}
limit(4, 0);
limit(1, $bytes + 0);
limit(6, $threads + 0);

if ($shelter ne 'none') {
  my ($root, $dev, $none, $readonly) = ('/', '/dev', 'none', pack('Q4', 1, 0, 0, 0));
  my ($uid, $gid) = ($>, (split / /, $))[0]);
  syscall(${calls.unshare}, $shelter eq 'mapped' ? 0x10020000 : 0x20000) == 0 or fail('namespace');
  if ($shelter eq 'mapped') {
    put('/proc/self/setgroups', 'deny');
    put('/proc/self/uid_map', "0 $uid 1") && put('/proc/self/gid_map', "0 $gid 1") or fail('namespace');
  }
  syscall(${calls.mount}, $none, $root, 0, 0x44000, 0) == 0 or fail('mounts');
  syscall(${calls.mount}, $dev, $dev, 0, 0x5000, 0) == 0 or fail('/dev');
  syscall(442, -100, $dev, 0, $readonly, 32) == 0 or fail('/dev');
}

$^F = 255;
my ($program, $list, $calls) = (shift @rest);
open($list, '<', $words) or fail($words);
my @given = ('--args', fileno $list);
if ($filter ne '') {
  open($calls, '<', $filter) or fail($filter);
  push @given, '--seccomp', fileno $calls;
}
exec { $program } $program, @given, '--', @rest;
fail($program);
`;
