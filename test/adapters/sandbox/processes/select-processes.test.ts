import { describe, expect, it } from "vitest";
import type { ProcessEntry } from "../../../../src/adapters/sandbox/processes/process-entry.ts";
import { type Kin, selectProcesses } from "../../../../src/adapters/sandbox/processes/select-processes.ts";

const LOOM = 10;
const NEVER = new Set([0, 1, LOOM]);

function aProcess(pid: number, fields: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    parent: 1,
    group: pid,
    session: pid,
    started: 100,
    marker: null,
    owner: null,
    unsettled: false,
    ...fields,
  };
}

function aKin(fields: Partial<Kin> = {}): Kin {
  return { marker: "m", owner: null, leader: { pid: 50, started: 100 }, known: new Map(), ...fields };
}

function chosen(entries: ProcessEntry[], kin: Kin = aKin()): number[] {
  return selectProcesses(entries, kin, NEVER).map((entry) => entry.pid);
}

describe("selectProcesses", () => {
  it("finds a process by its marker, wherever it moved to", () => {
    expect(chosen([aProcess(70, { marker: "m" }), aProcess(71, { marker: "other" })])).toEqual([70]);
  });

  it("takes a marker for itself only when it is the whole value", () => {
    expect(chosen([aProcess(70, { marker: "m2" }), aProcess(71, { marker: "" })])).toEqual([]);
  });

  it("finds a process without environment by the group or the session of its leader", () => {
    expect(chosen([aProcess(70, { group: 50 }), aProcess(71, { session: 50 })])).toEqual([70, 71]);
  });

  it("finds descendants of any depth in any order", () => {
    const entries = [
      aProcess(73, { parent: 72 }),
      aProcess(72, { parent: 71 }),
      aProcess(71, { parent: 50 }),
    ];
    expect(chosen([...entries, aProcess(50)]).sort()).toEqual([50, 71, 72, 73]);
  });

  it("finds a process that was seen before, though nothing else ties it to the session any more", () => {
    expect(chosen([aProcess(70, { started: 120 })], aKin({ known: new Map([[70, 120]]) }))).toEqual([70]);
  });

  it("spares another process that was given the pid of one seen before", () => {
    expect(chosen([aProcess(70, { started: 999 })], aKin({ known: new Map([[70, 120]]) }))).toEqual([]);
  });

  it("spares the group of another process that was given the leader's pid", () => {
    const stranger = aProcess(50, { started: 999 });
    const itsChild = aProcess(70, { parent: 50, group: 50, session: 50, started: 1000 });
    expect(chosen([stranger, itsChild])).toEqual([]);
  });

  it("spares a process whose parent's pid was given to one of the session", () => {
    const ours = aProcess(70, { marker: "m", started: 500 });
    expect(chosen([ours, aProcess(71, { parent: 70, started: 400 })])).toEqual([70]);
  });

  it("trusts the leader's number where the system does not tell starts", () => {
    expect(chosen([aProcess(70, { group: 50 })], aKin({ leader: { pid: 50, started: null } }))).toEqual([70]);
  });

  it("never chooses Loom or the first process, nor what descends from them, whatever they carry", () => {
    const entries = [
      aProcess(1, { marker: "m" }),
      aProcess(LOOM, { marker: "m", group: 50 }),
      aProcess(60, { parent: LOOM }),
      aProcess(61, { parent: 1 }),
    ];
    expect(chosen(entries)).toEqual([]);
  });

  it("finds everything of an owner", () => {
    const kin = aKin({ marker: null, owner: "token", leader: null });
    expect(
      chosen([aProcess(70, { owner: "token", marker: "a" }), aProcess(71, { owner: "x" })], kin),
    ).toEqual([70]);
  });
});
