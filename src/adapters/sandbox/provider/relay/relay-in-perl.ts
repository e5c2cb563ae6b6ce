import type { SystemCalls } from "../bubblewrap/system-calls.ts";

/**
 * `relay <socket> <token> <port> <uid:gid or -> [NAME=value…] -- <program…>` does what `relay.ts` does, and puts the program
 * into a user namespace of its own by itself (see `set-apart.ts`). One process waits for the program and tells its end; a
 * second one carries the connections, and holds nothing that the first one needs. Nobody may look into either.
 *
 * Perl's own variables would load code into it, so they come as words and reach the program alone.
 */
export const relayProgram = (calls: SystemCalls): string => String.raw`
use strict;
my ($running, $asked);
for my $name (qw(TERM INT HUP QUIT)) {
  $SIG{$name} = sub { $running ? kill($name, $running) : ($asked = $name) };
}
$SIG{PIPE} = 'IGNORE';
$0 = 'loom-relay';
my ($path, $token, $port, $apart, @rest) = @ARGV;
my %given;
while (@rest && $rest[0] ne '--') { my ($name, $value) = split /=/, shift @rest, 2; $given{$name} = $value }
shift @rest;
if (!@rest) {
  print STDERR "The relay is started as: relay <socket> <token> <port> <uid:gid> -- <program> <arguments>\n";
  exit 125;
}
delete @ENV{grep { /^PERL/ } keys %ENV};
syscall(436, 3, 0xffffffff, 0) == 0 or fail("what Loom had open can't be closed");
syscall(${calls.prctl}, 4, 0, 0, 0, 0);

my $claim = claim();
my $listener = listener();
if ($listener) {
  my $own = $$;
  my $carrier = fork // fail("The sandbox's network can't be opened");
  if (!$carrier) {
    close $claim if $claim;
    syscall(${calls.prctl}, 1, 9, 0, 0, 0);
    exit if getppid() != $own;
    $SIG{$_} = 'IGNORE' for qw(TERM INT HUP QUIT);
    open($_, '+<', '/dev/null') for \*STDIN, \*STDOUT, \*STDERR;
    carry($listener);
  }
  close $listener;
}
end_like(run(@rest));

sub fail { print STDERR "$_[0]: $!\n"; exit 125 }
sub put { my $file; open($file, '>', $_[0]) && defined syswrite($file, $_[1]) }
sub is_ready {
  my ($socket, $until) = (shift, time + 5);
  while (time < $until) {
    my $ready = '';
    vec($ready, fileno $socket, 1) = 1;
    return 1 if select($ready, undef, undef, 1) > 0;
  }
}
sub to_gateway {
  my $socket;
  socket($socket, 1, 1, 0) && connect($socket, pack('S a108', 1, $path)) ? $socket : undef;
}

# Begins the request that will say how the program ended; undef when nobody listens.
sub claim {
  my $socket = to_gateway() or return;
  syswrite $socket, "POST /.loom/exit HTTP/1.1\r\nhost: loom\r\nx-loom-token: $token\r\nexpect: 100-continue\r\n"
    . "transfer-encoding: chunked\r\nconnection: close\r\n\r\n";
  my $answer;
  return is_ready($socket) && sysread($socket, $answer, 4096) ? $socket : undef;
}
sub finish_claim {
  return if !$claim;
  syswrite $claim, sprintf("%x\r\n%s\r\n0\r\n\r\n", length $_[0], $_[0]);
  is_ready($claim);
}

sub listener {
  socket(my $socket, 2, 1, 0) or fail("The sandbox's network can't be opened");
  setsockopt($socket, 1, 2, 1);
  my $place = pack('S n C4 x8', 2, $port, 127, 0, 0, 1);
  return $socket if bind($socket, $place) && listen($socket, 512);
  # Another relay of the same sandbox listens there and does the same.
  print STDERR "The sandbox's network can't be opened: $!\n" if $! != 98;
  return;
}

# Each end of a connection: its socket, the other end, what is still to be written to it, whether it has been read to its end.
sub carry {
  my ($listener, %ends) = @_;
  fcntl($listener, 4, 2050);
  my $add = sub {
    my $socket = shift;
    fcntl($socket, 4, 2050);
    return $ends{fileno $socket} = { socket => $socket, out => '', ended => 0, shut => 0 };
  };
  my $drop = sub {
    my $end = shift;
    my @both = ($end, $end->{other});
    for my $one (@both) {
      delete $ends{fileno $one->{socket}};
      close $one->{socket};
      delete $one->{other};
    }
  };
  my $flush = sub {
    my $end = shift;
    if (length $end->{out}) {
      my $sent = syswrite $end->{socket}, $end->{out};
      return $! == 11 || $drop->($end) if !defined $sent;
      substr($end->{out}, 0, $sent, '');
    }
    if ($end->{other}{ended} && !$end->{shut} && !length $end->{out}) {
      shutdown($end->{socket}, 1);
      $end->{shut} = 1;
    }
    $drop->($end) if $end->{shut} && $end->{other}{shut};
  };
  for (;;) {
    my ($read, $write) = ('', '');
    vec($read, fileno $listener, 1) = 1;
    for my $at (keys %ends) {
      my $end = $ends{$at};
      vec($read, $at, 1) = 1 if !$end->{ended} && length $end->{other}{out} < 262144;
      vec($write, $at, 1) = 1 if length $end->{out};
    }
    next if select($read, $write, undef, undef) < 1;
    # Some at once, since each turn goes through all connections.
    for (1 .. vec($read, fileno $listener, 1) && 64) {
      if (accept(my $inside, $listener)) {
        setsockopt($inside, 6, 1, 1);
        my $outside = to_gateway() or next;
        my ($one, $two) = ($add->($inside), $add->($outside));
        ($one->{other}, $two->{other}) = ($two, $one);
      } else {
        # No more files: until one is closed, this would be tried without a pause.
        select(undef, undef, undef, 0.05) if $! != 11;
        last;
      }
    }
    for my $at (keys %ends) {
      my $end = $ends{$at} or next;
      $flush->($end) if vec($write, $at, 1);
      next if !vec($read, $at, 1) || !$ends{$at} || $ends{$at} != $end;
      my $got = sysread $end->{socket}, $end->{other}{out}, 65536, length $end->{other}{out};
      if (defined $got) {
        $end->{ended} = 1 if $got == 0;
        $flush->($end->{other});
      } else {
        $drop->($end) if $! != 11 && $! != 4;
      }
    }
  }
}

# Resolves nothing by itself: a program that can't be started says why through the pipe, which a start closes.
sub run {
  my @command = @_;
  pipe(my $why, my $tell) or fail('pipe');
  my $child = fork // fail('fork');
  if (!$child) {
    $SIG{$_} = 'DEFAULT' for qw(TERM INT HUP QUIT PIPE);
    my $problem = set_apart();
    if (!$problem) {
      @ENV{keys %given} = values %given;
      exec { $command[0] } @command;
      $problem = $! == 2 ? 'was not found' : $! == 13 ? "can't be started: it is not executable" : "can't be started: $!";
      syswrite $tell, ($! == 2 ? 127 : 126) . " $command[0] $problem";
    } else {
      syswrite $tell, "126 $command[0] can't be set apart: $problem";
    }
    kill 9, $$;
  }
  close $tell;
  my $said = '';
  for (;;) {
    my $got = sysread $why, $said, 4096, length $said;
    last if defined $got ? $got == 0 : $! != 4;
  }
  $running = $child;
  kill $asked, $child if $asked;
  waitpid $child, 0;
  $running = undef;
  return (kind => 'not-started', code => $1, reason => substr($2, 0, 1000)) if $said =~ /\A(\d+) (.*)\z/s;
  my ($signal, $code) = ($? & 127, $? >> 8);
  my @names = qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU
    URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS);
  return (kind => 'exited', code => $code) if !$signal;
  return (kind => 'exited', code => 128 + $signal) if $signal > @names;
  return (kind => 'signalled', signal => $names[$signal - 1], number => $signal);
}

# What went wrong; undef when nothing did.
sub set_apart {
  return if $apart eq '-';
  my ($uid, $gid) = split /:/, $apart;
  # Who may not be looked into may not name its own users either; there is nobody yet who could look.
  syscall(${calls.prctl}, 4, 1, 0, 0, 0);
  syscall(${calls.unshare}, 0x10000000) == 0 or return $!;
  put('/proc/self/setgroups', 'deny');
  put('/proc/self/uid_map', "$uid $uid 1") && put('/proc/self/gid_map', "$gid $gid 1") or return $!;
  put('/proc/sys/user/max_user_namespaces', 0) or return $!;
  for my $right (0 .. 63) { last if syscall(${calls.prctl}, 24, $right, 0, 0, 0) != 0 }
  return;
}

sub end_like {
  my %end = @_;
  if ($end{kind} eq 'not-started') {
    print STDERR "$end{reason}\n";
    my $reason = $end{reason} =~ s/(["\\])/\\$1/gr =~ s/([\0-\x1f])/sprintf '\\u%04x', ord $1/ger;
    finish_claim(qq({"kind":"not-started","reason":"$reason"}));
    exit $end{code};
  }
  if ($end{kind} eq 'exited') {
    finish_claim(qq({"kind":"exited","code":$end{code}}));
    exit $end{code};
  }
  finish_claim(qq({"kind":"signalled","signal":"SIG$end{signal}"}));
  $SIG{$end{signal}} = 'DEFAULT' if $end{number} != 9 && $end{number} != 19;
  kill $end{number}, $$;
  select(undef, undef, undef, 0.1);
  exit 128 + $end{number};
}
`;
