import { spawn } from "node:child_process";
import { Socket } from "node:net";
import { hostPrograms } from "../../os/host-programs.ts";
import { OWNER_VARIABLE } from "./process-entry.ts";

/**
 * Outlives Loom to end what Loom started. A process that is killed with -9 can do nothing any more, and its children go
 * on: agents would write into trees that the next Loom believes to be its own. So one small shell waits at a pipe. When
 * the pipe closes without the word `bye`, Loom is gone without having cleaned up, and the shell does it.
 *
 * It is told the leaders that live (`+ pid`, `- pid`), because a process can clear its environment but not leave the
 * session of its leader unnoticed; all else it finds by the owner's token. It does not carry the token itself. Two empty
 * looks in a row end it: a child that was being started when Loom died shows its environment a moment later.
 */
const SCRIPT = `
token=$1
leaders=' '
while read -r word pid; do
  case $word in
    +) leaders="$leaders$pid " ;;
    -) leaders="\${leaders%% $pid *} \${leaders#* $pid }" ;;
    bye) exit 0 ;;
  esac
done

# pid, parent, group and session of every process that is not a zombie
list() {
  if [ -r /proc/self/stat ]; then
    for folder in /proc/[0-9]*; do
      { read -r line < "$folder/stat"; } 2>/dev/null || continue
      set -- \${line##*) }
      [ "$1" = Z ] || echo "\${folder#/proc/} $2 $3 $4"
    done
  else
    ps -axo stat=,pid=,ppid=,pgid= | while read -r state pid parent group; do
      case $state in Z*) ;; *) echo "$pid $parent $group $group" ;; esac
    done
  fi
}

marked() {
  if [ -r /proc/self/stat ]; then
    cd /proc && grep -lsF -e "${OWNER_VARIABLE}=$token" [0-9]*/environ | while IFS=/ read -r pid rest; do echo "$pid"; done
  else
    ps -axwwE -o pid=,command= | grep -F -e "${OWNER_VARIABLE}=$token" | while read -r pid rest; do echo "$pid"; done
  fi
}

empty=0
looks=0
while [ $empty -lt 2 ] && [ $looks -lt 200 ]; do
  looks=$((looks + 1))
  ours=" $(marked | tr '\\n' ' ')"
  processes=$(list)
  before=
  while [ "$before" != "$ours" ]; do
    before=$ours
    while read -r pid parent group session; do
      case $ours in *" $pid "*) continue ;; esac
      case $ours in *" $parent "*) ours="$ours$pid "; continue ;; esac
      case $leaders in *" $group "*|*" $session "*) ours="$ours$pid " ;; esac
    done <<END
$processes
END
  done
  found=
  for pid in $ours; do
    [ "$pid" = $$ ] || [ "$pid" -le 1 ] || { kill -9 "$pid" && found=yes; } 2>/dev/null
  done
  if [ "$found" ]; then empty=0; else empty=$((empty + 1)); fi
  sleep 0.05 2>/dev/null || sleep 1
done
`;

export interface OrphanReaper {
  /** null once it is gone, by whatever cause; then another one is needed. */
  pid(): number | null;
  /** Telling it costs a write, so leaders that live for a moment only are better left to the token. */
  watch(leader: number): void;
  forget(leader: number): void;
  /** Sends it away; resolves when it has left. */
  dismiss(): Promise<void>;
}

export function startOrphanReaper(token: string): OrphanReaper {
  // The shell is named by its path; the few tools it uses are looked up, where nobody but the operator puts any.
  const child = spawn("/bin/sh", ["-c", SCRIPT, "loom-reaper", token], {
    cwd: "/",
    detached: true,
    env: { PATH: `/usr/bin:/bin:${hostPrograms().searchPath}` },
    stdio: ["pipe", "ignore", "ignore"],
  });
  let pid = child.pid ?? null;
  const gone = new Promise<void>((resolve) => {
    const leave = (): void => {
      pid = null;
      resolve();
    };
    child.once("exit", leave);
    child.once("error", leave);
  });
  child.stdin.on("error", () => {});
  // Neither the shell nor the pipe to it keeps Loom's event loop going.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  const watched = new Set<number>();
  const tell = (line: string): void => {
    if (pid !== null) child.stdin.write(`${line}\n`);
  };
  return {
    pid: () => pid,
    watch(leader) {
      if (watched.has(leader)) return;
      watched.add(leader);
      tell(`+ ${leader}`);
    },
    forget(leader) {
      if (watched.delete(leader)) tell(`- ${leader}`);
    },
    async dismiss() {
      if (pid === null) return;
      child.ref();
      child.stdin.end("bye\n");
      await gone;
    },
  };
}
