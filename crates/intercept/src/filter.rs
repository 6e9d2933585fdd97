//! Which calls are held: a program of the kernel's packet filter (seccomp(2)) over a call's number.
//!
//! What isn't named passes without an instruction of ours: the kernel keeps a bitmap of calls that every path allows.

use crate::kernel::Instruction;
use libc::{BPF_ABS, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W};
use serde::{Deserialize, Serialize};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    /// It is held until somebody answers.
    Hold,
    /// It is held if its fifth argument (mmap's descriptor) isn't −1.
    HoldOfFiles,
    /// Who follows the thread ([`Follower`](crate::follow::Follower)) is told, before and after.
    Tell,
    /// The same if its fifth argument isn't −1.
    TellOfFiles,
    /// It is held if the lower half of this argument (from 0) is this.
    HoldWhere {
        /// Which.
        argument: u8,
        /// What it must be.
        value: u32,
    },
    /// There is no such call in this kernel.
    Missing,
}

/// The machine whose calls are meant (linux/audit.h); those of others have no such kernel.
#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xc000_00b7;

/// Where the number, the machine, and the arguments' lower halves, of which the fifth is asked for, stand in what the filter sees (struct seccomp_data).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;
const FIFTH: u32 = ARGUMENTS + 4 * 8;
/// x32's calls have this bit.
const X32: u32 = 0x4000_0000;

/// An instruction's code; its parts lie in the lower bits (linux/bpf_common.h).
#[expect(clippy::cast_possible_truncation, reason = "codes have 16 bits")]
const fn code(parts: u32) -> u16 {
    parts as u16
}

const fn load(at: u32) -> Instruction {
    Instruction { code: code(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: at }
}

const fn equal(value: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code: code(BPF_JMP | BPF_JEQ | BPF_K), jt, jf, k: value }
}

const fn end(value: u32) -> Instruction {
    Instruction { code: code(BPF_RET | BPF_K), jt: 0, jf: 0, k: value }
}

/// What becomes of a call whose fifth argument isn't −1.
const fn of_files(number: u32, then: u32) -> [Instruction; 5] {
    [equal(number, 0, 4), load(FIFTH), equal(u32::MAX, 0, 1), end(libc::SECCOMP_RET_ALLOW), end(then)]
}

/// The filter of these rules; everything else is allowed.
pub(crate) fn program(rules: &[(i64, Rule)]) -> Vec<Instruction> {
    let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let mut all = vec![load(ARCHITECTURE), equal(MACHINE, 1, 0), end(missing), load(NUMBER)];
    let greater = code(BPF_JMP | BPF_JGE | BPF_K);
    all.extend([Instruction { code: greater, jt: 0, jf: 1, k: X32 }, end(missing)]);
    for &(number, rule) in rules {
        let Ok(number) = u32::try_from(number) else { continue };
        match rule {
            Rule::Hold => all.extend([equal(number, 0, 1), end(libc::SECCOMP_RET_USER_NOTIF)]),
            Rule::Missing => all.extend([equal(number, 0, 1), end(missing)]),
            Rule::HoldWhere { argument, value } => all.extend([
                equal(number, 0, 4),
                load(ARGUMENTS + u32::from(argument) * 8),
                equal(value, 0, 1),
                end(libc::SECCOMP_RET_USER_NOTIF),
                end(libc::SECCOMP_RET_ALLOW),
            ]),
            Rule::HoldOfFiles => all.extend(of_files(number, libc::SECCOMP_RET_USER_NOTIF)),
            Rule::Tell => all.extend([equal(number, 0, 1), end(libc::SECCOMP_RET_TRACE)]),
            Rule::TellOfFiles => all.extend(of_files(number, libc::SECCOMP_RET_TRACE)),
        }
    }
    all.push(end(libc::SECCOMP_RET_ALLOW));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter says to a call, by carrying its instructions out.
    fn says(filter: &[Instruction], (machine, number, fifth): (u32, u32, u32)) -> u32 {
        let (mut at, mut word) = (0, 0);
        loop {
            let Instruction { code, jt, jf, k } = filter[at];
            at += 1;
            let holds = match u32::from(code) {
                code if code == BPF_LD | BPF_W | BPF_ABS => {
                    word = [(NUMBER, number), (ARCHITECTURE, machine), (FIFTH, fifth)]
                        .into_iter()
                        .find_map(|(place, value)| (place == k).then_some(value))
                        .unwrap_or_default();
                    continue;
                }
                code if code == BPF_RET | BPF_K => return k,
                code if code == BPF_JMP | BPF_JEQ | BPF_K => word == k,
                _ => word >= k,
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    #[test]
    fn what_is_named_is_held_or_missing_and_all_else_passes() {
        let filter = program(&[
            (7, Rule::Hold),
            (10, Rule::HoldWhere { argument: 4, value: 5 }),
            (9, Rule::HoldOfFiles),
            (425, Rule::Missing),
            (12, Rule::Tell),
            (13, Rule::TellOfFiles),
            (8, Rule::Hold),
        ]);
        let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
        for (call, told) in [
            ((MACHINE, 7, 0), libc::SECCOMP_RET_USER_NOTIF),
            ((MACHINE, 8, u32::MAX), libc::SECCOMP_RET_USER_NOTIF),
            ((MACHINE, 9, 3), libc::SECCOMP_RET_USER_NOTIF),
            ((MACHINE, 9, u32::MAX), libc::SECCOMP_RET_ALLOW),
            ((MACHINE, 425, 0), missing),
            ((MACHINE, 10, 0), libc::SECCOMP_RET_ALLOW),
            ((MACHINE, 10, 5), libc::SECCOMP_RET_USER_NOTIF),
            ((MACHINE, 11, 5), libc::SECCOMP_RET_ALLOW),
            ((MACHINE, 12, 0), libc::SECCOMP_RET_TRACE),
            ((MACHINE, 13, 7), libc::SECCOMP_RET_TRACE),
            ((MACHINE, 13, u32::MAX), libc::SECCOMP_RET_ALLOW),
            ((MACHINE, X32 | 7, 0), missing),
            ((MACHINE ^ 1, 7, 0), missing),
        ] {
            assert_eq!(says(&filter, call), told, "{call:x?}");
        }
    }
}
