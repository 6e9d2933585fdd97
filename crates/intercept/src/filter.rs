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
    /// There is no such call in this kernel.
    Missing,
}

/// The machine whose calls are meant (linux/audit.h); those of others have no such kernel.
#[cfg(target_arch = "x86_64")]
const MACHINE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const MACHINE: u32 = 0xc000_00b7;

/// Where the number, the machine and the fifth argument's lower half stand in what the filter sees (struct seccomp_data).
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const FIFTH: u32 = 16 + 4 * 8;
/// x32's calls have this bit.
const X32: u32 = 0x4000_0000;

const fn load(at: u32) -> Instruction {
    Instruction { code: (BPF_LD | BPF_W | BPF_ABS) as u16, jt: 0, jf: 0, k: at }
}

const fn equal(value: u32, jt: u8, jf: u8) -> Instruction {
    Instruction { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt, jf, k: value }
}

const fn end(value: u32) -> Instruction {
    Instruction { code: (BPF_RET | BPF_K) as u16, jt: 0, jf: 0, k: value }
}

/// The filter of these rules; everything else is allowed.
pub(crate) fn program(rules: &[(i64, Rule)]) -> Vec<Instruction> {
    let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let mut all = vec![load(ARCHITECTURE), equal(MACHINE, 1, 0), end(missing), load(NUMBER)];
    let greater = (BPF_JMP | BPF_JGE | BPF_K) as u16;
    all.extend([Instruction { code: greater, jt: 0, jf: 1, k: X32 }, end(missing)]);
    for &(number, rule) in rules {
        let Ok(number) = u32::try_from(number) else { continue };
        match rule {
            Rule::Hold => all.extend([equal(number, 0, 1), end(libc::SECCOMP_RET_USER_NOTIF)]),
            Rule::Missing => all.extend([equal(number, 0, 1), end(missing)]),
            Rule::HoldOfFiles => all.extend([
                equal(number, 0, 4),
                load(FIFTH),
                equal(u32::MAX, 0, 1),
                end(libc::SECCOMP_RET_ALLOW),
                end(libc::SECCOMP_RET_USER_NOTIF),
            ]),
        }
    }
    all.push(end(libc::SECCOMP_RET_ALLOW));
    all
}
